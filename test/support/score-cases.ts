import type { Calibration, TierCalibration } from "../../src/documents/calibration.js";
import type { Sha256 } from "../../src/base/sha256.js";
import type { Catalog, Workflow } from "../../src/documents/catalog.js";
import type { RiskTier } from "../../src/documents/choices.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { ScoredCandidate } from "../../src/documents/decision.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { aCalibration as aFullCalibration, aTier, aWorkflow as aFullWorkflow } from "./builders.js";
import type { Plain } from "./plain.js";

/** A candidate whose identity-calibrated confidence is `probability` (up to rounding), eligible and complete. */
export function aCandidate(
  options: Plain<Partial<Omit<ScoredCandidate, "logits">>> & { readonly probability?: number } = {},
): ScoredCandidate {
  const { probability = 0.9, ...rest } = options;
  const logit = Math.log(probability / (1 - probability));
  return {
    workflow_id: "orders.find",
    risk_tier: "low",
    eligible: true,
    retrieval_score: 0.5,
    // Two equal matching logits add ln 2, which is taken off here.
    logits: { mismatch: 0, needs_input: logit - Math.LN2, executable: logit - Math.LN2 },
    missing_inputs: [],
    input_timeout: false,
    ...rest,
  } as ScoredCandidate;
}

/** A record of the EVAL fold, in scope of `orders.find`, found first and verified with confidence .9. */
export function aRecord(options: Plain<Partial<ScoredRecord>> = {}): ScoredRecord {
  const workflowId = options.workflow_id === undefined ? "orders.find" : options.workflow_id;
  const id = options.id ?? "row-1";
  return {
    id,
    workflow_id: workflowId,
    cluster: workflowId === null ? `row:${id}` : `workflow:${workflowId}`,
    fold: "eval",
    population: workflowId === null ? "far_oos" : "unseen_workflow",
    slices: {},
    expected_missing: null,
    candidates: [aCandidate()],
    early_reason: null,
    error_code: null,
    gold_rank: workflowId === null ? null : 1,
    ...options,
  } as ScoredRecord;
}

/** One in-scope record whose top candidate has this confidence and is right or wrong. */
export function aRanked(id: string, probability: number, right: boolean): ScoredRecord {
  const workflowId = right ? "orders.find" : "orders.cancel";
  return aRecord({ id, candidates: [aCandidate({ workflow_id: workflowId, probability })] });
}

/** Identity calibrator; every tier at confidence .5 and margin 0 unless given; clarifies from .5. */
export function aCalibration(tiers: Partial<Record<RiskTier, number | null>> = {}): Calibration {
  const thresholdOf = (tier: RiskTier): number | null => {
    const given = tiers[tier];
    return given === undefined ? 0.5 : given;
  };
  const tier = (name: RiskTier): TierCalibration => {
    const confidence = thresholdOf(name);
    return aTier(confidence, confidence === null ? null : 0);
  };
  return aFullCalibration({
    calibration_version: "test",
    tiers: { low: tier("low"), medium: tier("medium"), high: tier("high"), critical: tier("critical") },
    min_retrieval_score: -1,
    joint_delta: 0.05,
    out_of_scope_share: 0,
    digests: { catalog: digestOf(1), dataset: digestOf(2), split: digestOf(3), run: digestOf(4) },
  });
}

/** 64 times one hex digit: a digest that names nothing. */
export function digestOf(digit: number): Sha256 {
  return digit.toString(16).repeat(64) as Sha256;
}

/** The workflow `orders.find` without capabilities and examples. */
export function aWorkflow(options: Plain<Partial<Workflow>> = {}): Workflow {
  return aFullWorkflow({
    workflow_id: "orders.find",
    name: "Find an order",
    description: "Finds an order by its number.",
    capabilities: [],
    examples: [],
    ...options,
  });
}

export function aCatalog(workflows: readonly Workflow[] = [aWorkflow()]): Catalog {
  return { catalog_version: "test", sha256: digestOf(1), workflows };
}

export function aRequest(options: Plain<Partial<LabelledRequest>> = {}): LabelledRequest {
  return { id: "row-1", text: "where is my order", workflow_id: "orders.find", ...options } as LabelledRequest;
}

/**
 * `workflows` workflows per tier with `requests` rows each, and out-of-scope singletons.
 * No two texts share a word, so none are near-duplicates.
 */
export function aSplittableDataset(size: {
  readonly workflowsPerTier: number;
  readonly requests: number;
  readonly outOfScope: number;
}): { readonly rows: readonly LabelledRequest[]; readonly catalog: Catalog } {
  const tiers: readonly RiskTier[] = ["low", "medium", "high", "critical"];
  const workflows = tiers.flatMap((riskTier) =>
    Array.from({ length: size.workflowsPerTier }, (_, i) =>
      aWorkflow({ workflow_id: `${riskTier}.${i}`, risk_tier: riskTier }),
    ),
  );
  const inScope = workflows.flatMap(({ workflow_id: workflowId }) =>
    Array.from({ length: size.requests }, (_, i) => {
      const word = `${workflowId.replace(".", "")}x${i}`;
      return aRequest({ id: `${workflowId}-${i}`, text: `${word}a ${word}b ${word}c`, workflow_id: workflowId });
    }),
  );
  const outOfScope = Array.from({ length: size.outOfScope }, (_, i) =>
    aRequest({ id: `oos-${i}`, text: `nothing${i} here${i}`, workflow_id: null }),
  );
  return { rows: [...inScope, ...outOfScope], catalog: aCatalog(workflows) };
}

/** k and n of a rate. */
export const counts = (rate: { readonly k: number; readonly n: number }) => [rate.k, rate.n];

/** A record of an out-of-scope request whose candidate has this confidence. */
export const outOfScope = (id: string, probability: number): ScoredRecord =>
  aRecord({ id, workflow_id: null, candidates: [aCandidate({ probability })] });
