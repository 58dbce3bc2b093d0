import { type RiskTier, riskTiers } from "../../src/documents/choices.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { ScoredCandidate } from "../../src/documents/decision.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { Fold } from "../../src/documents/choices.js";
import { firstEligible } from "../../src/router/policy/apply-calibration.js";
import { type SeededRandom, seededRandom } from "../../src/base/numbers/seeded-random.js";
import { sha256Hex } from "../../src/base/sha256.js";

/** A candidate whose match logit is `z` to within 1e-8 for z > -5. */
export function candidate(workflowId: string, z: number, overrides: Partial<ScoredCandidate> = {}): ScoredCandidate {
  return {
    workflow_id: workflowId as WorkflowId,
    risk_tier: "low",
    eligible: true,
    retrieval_score: 0.5,
    logits: { mismatch: 0, needs_input: z - 25, executable: z },
    missing_inputs: [],
    input_timeout: false,
    ...overrides,
  };
}

export function record(
  id: string,
  candidates: readonly ScoredCandidate[],
  overrides: Partial<ScoredRecord> = {},
): ScoredRecord {
  return {
    id,
    workflow_id: "flow.gold" as WorkflowId,
    cluster: "workflow:flow.gold",
    fold: "tune",
    population: "unseen_workflow",
    slices: {},
    expected_missing: null,
    candidates,
    early_reason: null,
    error_code: null,
    gold_rank: 1,
    ...overrides,
  };
}

export interface CliIo {
  readonly seed: number;
  readonly folds: readonly Fold[];
  /** Workflows of each fold, dealt over the tiers in turn. */
  readonly workflows: number;
  readonly requestsPerWorkflow: number;
  readonly outOfScopeGroups: number;
  readonly requestsPerGroup: number;
  readonly candidates: number;
  /** Share of wrong first candidates at logit 0; it falls with the logit. */
  readonly difficulty: number;
  readonly tiers?: readonly RiskTier[];
  /** The verifier states this times the true log odds. */
  readonly overconfidence?: number;
}

function ranked(random: SeededRandom, world: CliIo, first: ScoredCandidate): readonly ScoredCandidate[] {
  const others = Array.from({ length: world.candidates - 1 }, (_, i) =>
    candidate(`flow.other${i}`, -3 - 4 * random.uniform() + Math.min(0, first.logits.executable), {
      risk_tier: first.risk_tier,
      retrieval_score: 0.4 * random.uniform(),
    }),
  );
  return [first, ...others];
}

function inScope(random: SeededRandom, world: CliIo, fold: Fold, w: number): readonly ScoredRecord[] {
  const tiers = world.tiers ?? riskTiers;
  const riskTier = tiers[w % tiers.length] ?? "low";
  const gold = `flow.${fold}${w}`;
  const hardness = -Math.log(1 - random.uniform());
  return Array.from({ length: world.requestsPerWorkflow }, (_, i) => {
    const z = 6 * random.uniform();
    const wrong = random.uniform() < Math.min(1, world.difficulty * hardness * Math.exp(-z));
    const first = candidate(wrong ? "flow.wrong" : gold, z * (world.overconfidence ?? 1), {
      risk_tier: riskTier,
      retrieval_score: 0.5 + 0.5 * random.uniform(),
    });
    return record(`${fold}-${w}-${i}`, ranked(random, world, first), {
      workflow_id: gold as WorkflowId,
      cluster: `workflow:${gold}`,
      fold,
    });
  });
}

function outOfScope(random: SeededRandom, world: CliIo, fold: Fold, g: number): readonly ScoredRecord[] {
  const tiers = world.tiers ?? riskTiers;
  return Array.from({ length: world.requestsPerGroup }, (_, i) => {
    const z = -4 + 5 * random.uniform();
    const riskTier = tiers[random.integer(0, tiers.length - 1)] ?? "low";
    const first = candidate("flow.near", z * (world.overconfidence ?? 1), {
      risk_tier: riskTier,
      retrieval_score: 0.6 * random.uniform(),
    });
    return record(`${fold}-oos${g}-${i}`, ranked(random, world, first), {
      workflow_id: null,
      cluster: `group:${fold}${g}`,
      fold,
      population: "far_oos",
      gold_rank: null,
    });
  });
}

/** Labelled, scored requests in which the chance of a wrong first candidate falls with its logit. */
export function syntheticRecords(world: CliIo): readonly ScoredRecord[] {
  const random = seededRandom(world.seed);
  const indices = (length: number) => Array.from({ length }, (_, i) => i);
  return world.folds.flatMap((fold) => [
    ...indices(world.workflows).flatMap((w) => inScope(random, world, fold, w)),
    ...indices(world.outOfScopeGroups).flatMap((g) => outOfScope(random, world, fold, g)),
  ]);
}

export const digests = {
  catalog: sha256Hex("a"),
  dataset: sha256Hex("b"),
  split: sha256Hex("c"),
  run: sha256Hex("d"),
};

/** The records with two columns that a verifier read of the first candidate: a hint whether it is right, and noise. */
export function withVerifierFeatures(records: readonly ScoredRecord[], seed: number): readonly ScoredRecord[] {
  const random = seededRandom(seed);
  const names = ["hint", "noise"] as const;
  return records.map((one) => {
    const first = firstEligible(one.candidates)?.workflow_id;
    const hint = (first === one.workflow_id ? 1 : -1) + 2 * random.normal();
    const features = { names, values: [hint, random.normal()].map(Math.fround) };
    return {
      ...one,
      candidates: one.candidates.map((each) => (each.workflow_id === first ? { ...each, features } : each)),
    };
  });
}
