import { seededRandom } from "../src/base/numbers/seeded-random.js";
import type { PairedVerdict } from "../src/documents/baseline.js";
import {
  type Effect,
  type Ending,
  endings,
  type MeasureName,
  measureNames,
  type PairedMeasure,
  type SignFlipTest,
} from "../src/documents/comparison.js";
import type { Decision } from "../src/documents/decision.js";
import type { Band } from "../src/documents/evaluation.js";
import { asksForMissingInput } from "./attribution.js";
import type { RecordOutcome } from "./metrics/outcome-columns.js";
import { percentileInterval, resampleClusters } from "./stats/cluster-bootstrap.js";
import { measured, undefinedBecause } from "./stats/measured.js";
import { signFlipTest } from "./stats/paired-tests.js";
import { type Share, shareOf } from "../src/documents/rate.js";

/** One request under both sides. */
export interface PairedEnding {
  readonly cluster: string;
  readonly inScope: boolean;
  readonly a: Ending;
  readonly b: Ending;
}

interface Definition {
  readonly of: (pair: PairedEnding, ending: Ending) => boolean;
  readonly event: (ending: Ending) => boolean;
  readonly better: "higher" | "lower";
  /** Whether the denominator is the same for both sides. */
  readonly paired: boolean;
}

const routed = (ending: Ending): boolean => ending === "routed_right" || ending === "routed_wrong";
const wrong = (ending: Ending): boolean => ending === "routed_wrong";

const definitions: Readonly<Record<MeasureName, Definition>> = {
  coverage: { of: () => true, event: routed, better: "higher", paired: true },
  in_scope_right: {
    of: ({ inScope }) => inScope,
    event: (ending) => ending === "routed_right",
    better: "higher",
    paired: true,
  },
  out_of_scope_routed: { of: ({ inScope }) => !inScope, event: routed, better: "lower", paired: true },
  joint_risk: { of: () => true, event: wrong, better: "lower", paired: true },
  selective_risk: { of: (_, ending) => routed(ending), event: wrong, better: "lower", paired: false },
};

export interface MeasureOptions {
  readonly resamples: number;
  readonly seed: number;
}

/** Every measure of both sides, with paired tests that respect clusters. The order of the pairs does not matter. */
export function pairedMeasures(pairs: readonly PairedEnding[], options: MeasureOptions): readonly PairedMeasure[] {
  return measureNames.map((name) => pairedMeasure(name, pairs, options));
}

/** Trials and events of one cluster on each side. */
interface PairedCount {
  trialsA: number;
  eventsA: number;
  trialsB: number;
  eventsB: number;
}

function pairedMeasure(name: MeasureName, pairs: readonly PairedEnding[], options: MeasureOptions): PairedMeasure {
  const { of, event, better, paired } = definitions[name];
  const share = (side: "a" | "b"): Share => {
    const trials = pairs.filter((pair) => of(pair, pair[side]));
    return shareOf(trials.filter((pair) => event(pair[side])).length, trials.length);
  };
  const [a, b] = [share("a"), share("b")];
  const counts = countByCluster(name, pairs);
  const difference =
    a.estimate === null || b.estimate === null
      ? undefinedBecause("EMPTY_DENOMINATOR", pairs.length)
      : measured(b.estimate - a.estimate, pairs.length);
  const band = difference.value === null ? null : differenceBand(counts, options);
  const test = paired ? signFlip(counts, options.seed) : null;
  return {
    name,
    a,
    b,
    difference,
    band,
    sign_flip: test,
    verdict: pairedVerdict({
      band,
      pValue: test?.p_value ?? null,
      clusters: occupied(counts).length,
      higher: better === "higher" ? "b" : "a",
    }),
  };
}

function countByCluster(name: MeasureName, pairs: readonly PairedEnding[]): readonly PairedCount[] {
  const { of, event } = definitions[name];
  const counts = new Map<string, PairedCount>();
  for (const pair of pairs) {
    const count = counts.get(pair.cluster) ?? { trialsA: 0, eventsA: 0, trialsB: 0, eventsB: 0 };
    counts.set(pair.cluster, count);
    if (of(pair, pair.a)) {
      count.trialsA += 1;
      if (event(pair.a)) count.eventsA += 1;
    }
    if (of(pair, pair.b)) {
      count.trialsB += 1;
      if (event(pair.b)) count.eventsB += 1;
    }
  }
  return [...counts].sort(([x], [y]) => (x < y ? -1 : 1)).map(([, count]) => count);
}

function differenceBand(counts: readonly PairedCount[], { resamples, seed }: MeasureOptions): Band | null {
  if (counts.length < 2) return null;
  const [values] = resampleClusters(
    { clusters: counts.length, resamples, random: seededRandom(seed) },
    1,
    (draws, statistics) => {
      const sum = (key: keyof PairedCount): number =>
        counts.reduce((total, count, cluster) => total + count[key] * draws[cluster], 0);
      statistics[0] = sum("eventsB") / sum("trialsB") - sum("eventsA") / sum("trialsA");
    },
  );
  const interval = percentileInterval(values ?? new Float64Array(), confidence);
  if (interval === null) return null;
  const { lower, upper, used, dropped } = interval;
  return { method: "cluster-bootstrap", confidence, lower, upper, resamples: used, dropped };
}

const confidence = 0.95;

const occupied = (counts: readonly PairedCount[]): readonly PairedCount[] =>
  counts.filter(({ trialsA, trialsB }) => trialsA + trialsB > 0);

function signFlip(counts: readonly PairedCount[], seed: number): SignFlipTest {
  return signFlipTest(
    occupied(counts).map(({ eventsA, eventsB }) => eventsA - eventsB),
    seededRandom(seed),
  );
}

/** With fewer clusters a sign-flip test cannot reach p = .05, and a percentile band is too narrow. */
const leastClusters = 6;
const largestP = 0.05;
/** Maximum share of resamples in which the statistic is undefined: one tail of a 95% band. */
const mostDropped = 0.025;

interface PairedTest {
  /** Band of the difference; positive values favour the `higher` side. */
  readonly band: Band | null;
  /** null if the measure has no test. */
  readonly pValue: number | null;
  /** Number of clusters with at least one trial on either side. */
  readonly clusters: number;
  readonly higher: "a" | "b";
}

/**
 * Which side is better. A side is called better only if there are enough clusters, the band of the difference excludes
 * 0, and the test agrees. `tied`: the band contains 0. `not_shown`: there is too little evidence.
 */
export function pairedVerdict({ band, pValue, clusters, higher }: PairedTest): PairedVerdict {
  if (band === null) return "not_shown";
  if (band.lower <= 0 && band.upper >= 0) return "tied";
  const dropped = band.dropped / (band.resamples + band.dropped);
  if (clusters < leastClusters || (pValue ?? 0) > largestP || dropped > mostDropped) return "not_shown";
  const aIsHigher = higher === "a";
  return band.lower > 0 === aIsHigher ? "a_better" : "b_better";
}

/** The ending of a decided request. For an out-of-scope request only declining is right. */
export function endingOf(outcome: RecordOutcome, decision: Decision): Ending {
  if (decision.decision === "LLM_REQUIRED") return "declined";
  const right = outcome.inScope && decision.workflow_id === outcome.record.workflow_id;
  if (decision.decision === "ROUTE") return right ? "routed_right" : "routed_wrong";
  return right && asksForMissingInput(outcome.record, decision) ? "asked_right" : "asked_wrong";
}

/** What a changed ending means for the caller. */
export function effectOf(before: Ending, after: Ending): Effect {
  const gain = endings.indexOf(before) - endings.indexOf(after);
  if (gain === 0) return "neutral";
  return gain > 0 ? "better" : "worse";
}
