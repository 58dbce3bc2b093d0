import { identityCurve } from "../../src/router/policy/calibrator-curve.js";
import type { RiskTier } from "../../src/documents/choices.js";
import type { ReasonCode, CalibratedCandidate, Decision } from "../../src/documents/decision.js";
import { languageDimension } from "../../src/documents/evaluation.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { topEligible } from "../../src/router/policy/apply-calibration.js";
import { decide, declineBeforeScoring } from "../../src/router/policy/decide.js";
import { type EvaluatedThresholds, thresholdsOfRequest } from "./evaluated-thresholds.js";

/** Facts about a request, as bits of `OutcomeColumns.facts`. */
export const fact = {
  inScope: 1 << 0,
  outOfScope: 1 << 1,
  /** There is an eligible candidate; `topRight`: the best one is the gold workflow. */
  hasTop: 1 << 2,
  topRight: 1 << 3,
  routed: 1 << 4,
  /** Routed, but not to the gold workflow. */
  routedWrong: 1 << 5,
  asked: 1 << 6,
  /** Asked about the right workflow and, if missing inputs are labelled, for one of them. */
  askedRight: 1 << 7,
  /** The label has at least one missing input. */
  inputMissing: 1 << 8,
  /** The outcome under a perfect retriever, verifier or threshold. */
  retrieverRouted: 1 << 9,
  retrieverWrong: 1 << 10,
  verifierRouted: 1 << 11,
  verifierWrong: 1 << 12,
  thresholdRouted: 1 << 13,
} as const;

/** Values of one slice: `value[row]` is an index into `names`, or -1 if the request has no value. */
export interface SliceColumn {
  readonly names: readonly string[];
  readonly value: Int32Array;
}

/**
 * Outcomes of requests as columns, one row per request; every metric is computed from them. A million requests take
 * about 60 MB. Rows have the order of the records; clusters are sorted by name.
 */
export interface OutcomeColumns {
  readonly requests: number;
  readonly clusters: readonly string[];
  readonly cluster: Int32Array;
  readonly facts: Uint16Array;
  /** Confidence of the top candidate; 0 if there is none. */
  readonly confidence: Float64Array;
  /**
   * Score that separates in-scope from out-of-scope requests: the match logit of the top candidate, or its
   * confidence.
   */
  readonly separation: Float64Array;
  /**
   * 1-based rank of the gold workflow in the whole catalog, and among the eligible candidates; 0 if it is not there.
   */
  readonly goldRank: Int32Array;
  readonly eligibleRank: Int32Array;
  /** Index of the attribution bucket; 0 without a decision. */
  readonly bucket: Uint8Array;
  /** Number of inputs labelled as missing, and how many of them were asked for. */
  readonly inputsMissing: Uint16Array;
  readonly inputsAsked: Uint16Array;
  /** Workflow that each request was routed to. */
  readonly routedTo: SliceColumn;
  readonly tier: SliceColumn;
  readonly workflow: SliceColumn;
  readonly population: SliceColumn;
  readonly slices: ReadonlyMap<string, SliceColumn>;
  readonly reasons: ReadonlyMap<ReasonCode, number>;
}

/** Indices of the rows that satisfy a predicate. */
export function rowsWhere(columns: OutcomeColumns, holds: (row: number) => boolean): Uint32Array {
  const rows = new Uint32Array(columns.requests);
  let count = 0;
  for (let row = 0; row < columns.requests; row += 1) if (holds(row)) rows[count++] = row;
  return rows.slice(0, count);
}

/** One input row of `OutcomeColumns`. */
export interface OutcomeRow {
  readonly record: ScoredRecord;
  readonly facts: number;
  /** See `clusterOfRecord`. */
  readonly cluster: string;
  readonly confidence: number;
  readonly separation: number;
  readonly eligibleRank: number;
  readonly bucket: number;
  readonly inputsAsked: number;
  readonly routedTo: string | null;
  readonly tier: RiskTier | null;
  /** Language whose threshold decides the request; null without one. */
  readonly language: string | null;
  readonly reasonCode: ReasonCode | null;
}

/** Builder of a slice; numbers names in order of first appearance. */
class NamedColumn {
  readonly #indices = new Map<string, number>();
  readonly #value: number[] = [];

  set(row: number, name: string | null): void {
    while (this.#value.length < row) this.#value.push(-1);
    this.#value.push(name === null ? -1 : this.#indexOf(name));
  }

  #indexOf(name: string): number {
    const known = this.#indices.get(name);
    if (known !== undefined) return known;
    this.#indices.set(name, this.#indices.size);
    return this.#indices.size - 1;
  }

  finish(rows: number): SliceColumn {
    const value = new Int32Array(rows).fill(-1);
    value.set(this.#value);
    return { names: [...this.#indices.keys()], value };
  }
}

/** Builds columns row by row, so that not all records need to be in memory at once. */
export class ColumnsBuilder {
  readonly #facts: number[] = [];
  readonly #bucket: number[] = [];
  readonly #confidence: number[] = [];
  readonly #separation: number[] = [];
  readonly #goldRank: number[] = [];
  readonly #eligibleRank: number[] = [];
  readonly #inputsMissing: number[] = [];
  readonly #inputsAsked: number[] = [];
  readonly #cluster = new NamedColumn();
  readonly #routedTo = new NamedColumn();
  readonly #tier = new NamedColumn();
  readonly #workflow = new NamedColumn();
  readonly #population = new NamedColumn();
  readonly #slices = new Map<string, NamedColumn>();
  readonly #reasons = new Map<ReasonCode, number>();

  add(row: OutcomeRow): void {
    const { record } = row;
    const at = this.#facts.length;
    this.#facts.push(row.facts);
    this.#bucket.push(row.bucket);
    this.#confidence.push(row.confidence);
    this.#separation.push(row.separation);
    this.#goldRank.push(record.gold_rank ?? 0);
    this.#eligibleRank.push(row.eligibleRank);
    this.#inputsMissing.push(record.expected_missing?.length ?? 0);
    this.#inputsAsked.push(row.inputsAsked);
    this.#cluster.set(at, row.cluster);
    this.#routedTo.set(at, row.routedTo);
    this.#tier.set(at, row.tier);
    this.#workflow.set(at, record.workflow_id);
    this.#population.set(at, record.population);
    for (const [name, value] of Object.entries(record.slices)) this.#slice(name).set(at, value);
    if (row.language !== null) this.#slice(languageDimension).set(at, row.language);
    if (row.reasonCode !== null) this.#reasons.set(row.reasonCode, (this.#reasons.get(row.reasonCode) ?? 0) + 1);
  }

  #slice(name: string): NamedColumn {
    const column = this.#slices.get(name) ?? new NamedColumn();
    this.#slices.set(name, column);
    return column;
  }

  finish(): OutcomeColumns {
    const requests = this.#facts.length;
    return {
      requests,
      ...sortedClusters(this.#cluster.finish(requests)),
      facts: Uint16Array.from(this.#facts),
      bucket: Uint8Array.from(this.#bucket),
      confidence: Float64Array.from(this.#confidence),
      separation: Float64Array.from(this.#separation),
      goldRank: Int32Array.from(this.#goldRank),
      eligibleRank: Int32Array.from(this.#eligibleRank),
      inputsMissing: Uint16Array.from(this.#inputsMissing),
      inputsAsked: Uint16Array.from(this.#inputsAsked),
      routedTo: this.#routedTo.finish(requests),
      tier: this.#tier.finish(requests),
      workflow: this.#workflow.finish(requests),
      population: this.#population.finish(requests),
      slices: new Map([...this.#slices].map(([name, column]) => [name, column.finish(requests)])),
      reasons: this.#reasons,
    };
  }
}

/** Sorts the clusters by name so that the order of the records has no effect. */
function sortedClusters({ names, value }: SliceColumn): Pick<OutcomeColumns, "clusters" | "cluster"> {
  const order = names.map((name, index) => ({ name, index })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const position = new Int32Array(names.length);
  for (const [sorted, { index }] of order.entries()) position[index] = sorted;
  return { clusters: order.map(({ name }) => name), cluster: value.map((index) => position[index]) };
}

/** A scored record with its outcome under a calibration. */
export interface RecordOutcome {
  readonly record: ScoredRecord;
  readonly inScope: boolean;
  /**
   * Eligible candidate with the highest confidence; null if the pipeline ended earlier or no candidate was eligible.
   */
  readonly top: CalibratedCandidate | null;
  /** Whether `top` is the gold workflow; false for an out-of-scope request. */
  readonly topIsRight: boolean;
  /** null if there is no calibration. */
  readonly decision: Decision | null;
}

/** @param record  must not have an `error_code` */
export function outcomeOf(record: ScoredRecord, thresholds: EvaluatedThresholds | null): RecordOutcome {
  const calibration = thresholds === null ? null : thresholdsOfRequest(thresholds, record.id);
  const top = topEligible(calibration?.calibrator ?? identityCurve, record.candidates);
  return {
    record,
    inScope: record.workflow_id !== null,
    top,
    topIsRight: top !== null && top.workflow_id === record.workflow_id,
    decision: calibration === null ? null : decisionOf(record, calibration),
  };
}

function decisionOf(record: ScoredRecord, calibration: EvaluatedThresholds): Decision {
  if (record.early_reason !== null) return declineBeforeScoring(record.early_reason);
  return decide(record, calibration);
}
