import { command, say, SluiceError } from "../src/base/error.js";
import { groupBy } from "../src/base/group-by.js";
import { riskTiers } from "../src/documents/choices.js";
import type { Comparison, DecidedSide, Effect, Ending, Flip, FlipCount } from "../src/documents/comparison.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { effectOf, endingOf, type MeasureOptions, type PairedEnding, pairedMeasures } from "./compare-measures.js";
import { clusterOfRecord, type EvaluatedThresholds } from "./metrics/evaluated-thresholds.js";
import { outcomeOf } from "./metrics/outcome-columns.js";

/** Scored records and the frozen thresholds that decide them. */
export interface ComparedSide {
  readonly records: Iterable<ScoredRecord>;
  readonly calibration: EvaluatedThresholds;
}

interface Pair extends PairedEnding {
  readonly flip: Flip;
  readonly flipped: boolean;
}

/**
 * What changes between two runs of the same requests under their own thresholds. Requests are paired by id.
 * @throws {SluiceError} DOCUMENT_INVALID  no request is in both runs, or a request has two different gold workflows
 *   (different catalogs)
 */
export function compareSides(
  a: ComparedSide,
  b: ComparedSide,
  options: MeasureOptions = { resamples: 2000, seed: 1 },
): Comparison {
  const { pairs: paired, ...leftOut } = pairRecords(a.records, b.records);
  const pairs = paired.map((pair) =>
    pairOf({ record: pair.a, calibration: a.calibration }, { record: pair.b, calibration: b.calibration }),
  );
  return {
    requests: pairs.length,
    workflows: new Set(paired.map(({ a: { cluster } }) => cluster)).size,
    ...leftOut,
    endings: countEndings(pairs),
    total: countFlips(pairs),
    by_tier: riskTiers.flatMap((tier) => {
      const own = pairs.filter(({ flip }) => flip.a.risk_tier === tier);
      return own.length === 0 ? [] : [{ tier, ...countFlips(own) }];
    }),
    by_workflow: byWorkflow(pairs),
    measures: pairedMeasures(pairs, options),
    flips: sortedFlips(pairs),
  };
}

interface Recorded {
  readonly record: ScoredRecord;
  readonly calibration: EvaluatedThresholds;
}

function pairOf(a: Recorded, b: Recorded): Pair {
  const { id, workflow_id: workflowId } = a.record;
  const cluster = clusterOfRecord(a.calibration, a.record);
  const [sideA, sideB] = [decidedSide(a), decidedSide(b)];
  const flip = { id, workflow_id: workflowId, effect: effectOf(sideA.ending, sideB.ending), a: sideA, b: sideB };
  const flipped = sideA.ending !== sideB.ending || sideA.workflow_id !== sideB.workflow_id;
  return { cluster, inScope: workflowId !== null, a: sideA.ending, b: sideB.ending, flip, flipped };
}

function decidedSide({ record, calibration }: Recorded): DecidedSide {
  const outcome = outcomeOf(record, calibration);
  const { decision } = outcome;
  if (decision === null) throw new SluiceError("INTERNAL", "a calibrated outcome has no decision");
  const { workflow_id: workflowId, reason_code: reasonCode, confidence } = decision;
  const riskTier = outcome.top?.risk_tier ?? null;
  return {
    ending: endingOf(outcome, decision),
    workflow_id: workflowId,
    reason_code: reasonCode,
    confidence,
    risk_tier: riskTier,
  };
}

function countFlips(pairs: readonly Pair[]): FlipCount {
  const flips = pairs.filter(({ flipped }) => flipped);
  const having = (effect: Effect): number => flips.filter(({ flip }) => flip.effect === effect).length;
  return { requests: pairs.length, flips: flips.length, better: having("better"), worse: having("worse") };
}

function countEndings(pairs: readonly Pair[]): Comparison["endings"] {
  const counts = new Map<string, { a: Ending; b: Ending; requests: number }>();
  for (const { a, b } of pairs) {
    const count = counts.get(`${a} ${b}`) ?? { a, b, requests: 0 };
    count.requests += 1;
    counts.set(`${a} ${b}`, count);
  }
  return [...counts].sort(([x, p], [y, q]) => q.requests - p.requests || (x < y ? -1 : 1)).map(([, count]) => count);
}

function byWorkflow(pairs: readonly Pair[]): Comparison["by_workflow"] {
  return [...groupBy(pairs, ({ flip }) => flip.workflow_id)]
    .map(([workflowId, own]) => ({ workflow_id: workflowId, ...countFlips(own) }))
    .filter(({ flips }) => flips > 0)
    .sort((x, y) => y.flips - x.flips || ((x.workflow_id ?? "") < (y.workflow_id ?? "") ? -1 : 1));
}

const effectOrder: readonly Effect[] = ["worse", "neutral", "better"];

/** Expects pairs sorted by id. */
function sortedFlips(pairs: readonly Pair[]): readonly Flip[] {
  const flips = pairs.filter(({ flipped }) => flipped).map(({ flip }) => flip);
  return flips.sort((x, y) => effectOrder.indexOf(x.effect) - effectOrder.indexOf(y.effect));
}

export interface PairedRecords {
  /** Requests that both sides scored, by id. */
  readonly pairs: readonly { readonly a: ScoredRecord; readonly b: ScoredRecord }[];
  /** Requests left out because they are in one run only, or failed on one side. */
  readonly only_in_a: number;
  readonly only_in_b: number;
  readonly not_scored: number;
}

/**
 * @throws {SluiceError} DOCUMENT_INVALID  no request is in both runs, or a request has two different gold workflows
 *   (different catalogs)
 */
export function pairRecords(a: Iterable<ScoredRecord>, b: Iterable<ScoredRecord>): PairedRecords {
  const inA = new Map<string, ScoredRecord>();
  for (const record of a) inA.set(record.id, record);
  const pairs: { a: ScoredRecord; b: ScoredRecord }[] = [];
  let onlyInB = 0;
  let notScored = 0;
  for (const record of b) {
    const other = inA.get(record.id);
    inA.delete(record.id);
    if (other === undefined) onlyInB += 1;
    else if (other.error_code !== null || record.error_code !== null) notScored += 1;
    else pairs.push({ a: other, b: requireOneLabel(other, record) });
  }
  if (pairs.length === 0) {
    throw new SluiceError("DOCUMENT_INVALID", "found no request that both runs have scored, expected one dataset", {
      hint: say`Compare two runs of one dataset and fold: ${command`sluice eval list`}`,
    });
  }
  pairs.sort((x, y) => (x.a.id < y.a.id ? -1 : 1));
  return { pairs, only_in_a: inA.size, only_in_b: onlyInB, not_scored: notScored };
}

function requireOneLabel(a: ScoredRecord, b: ScoredRecord): ScoredRecord {
  if (a.workflow_id === b.workflow_id) return b;
  throw new SluiceError(
    "DOCUMENT_INVALID",
    `request ${a.id}: the runs give it different workflows, expected one label`,
    {
      hint: say`Compare runs of one dataset and one catalog: ${command`sluice eval list`}`,
    },
  );
}
