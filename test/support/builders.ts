/** Valid values for tests: each builder takes what the test cares about and fills in the rest. */
import type {
  Calibration,
  Claim,
  ShortlistCalibration,
  TierCalibration,
  FollowUpCalibrator,
} from "../../src/documents/calibration.js";
import type { Sha256 } from "../../src/base/sha256.js";
import type { Catalog, ResolvableInput, Workflow } from "../../src/documents/catalog.js";
import type { ScoredCandidate } from "../../src/documents/decision.js";
import { defaultPolicy, type RoutingPolicy } from "../../src/documents/policy.js";
import type { RouteRequest } from "../../src/documents/request.js";
import type { Plain } from "./plain.js";

const noDigest = "0".repeat(64) as Sha256;

/** An active, low-risk, read-only workflow with two examples. */
export function aWorkflow(overrides: Plain<Partial<Workflow>> = {}): Workflow {
  return {
    workflow_id: "orders.status",
    version: "1.0.0",
    name: "Order status",
    description: "Tells where an order is and when it arrives.",
    owner: "orders-team",
    status: "active",
    risk_tier: "low",
    side_effect: "read_only",
    confirmation: "never",
    capabilities: ["Track a shipped order"],
    exclusions: [],
    examples: ["where is my order", "when does my parcel arrive"],
    required_inputs: [],
    optional_inputs: [],
    event_types: [],
    metadata: {},
    ...overrides,
  } as Workflow;
}

/** An input that only the context can give. */
export function anInput(overrides: Partial<ResolvableInput> = {}): ResolvableInput {
  return { name: "order_number", description: "Number of the order", aliases: [], pattern: null, ...overrides };
}

/** Three workflows that share few words. */
export function someWorkflows(): readonly Workflow[] {
  return [
    aWorkflow(),
    aWorkflow({
      workflow_id: "invoices.refund",
      name: "Refund an invoice",
      description: "Pays an invoice back to the card that paid it.",
      risk_tier: "high",
      side_effect: "external_write",
      confirmation: "always",
      capabilities: ["Return money for a wrong charge"],
      exclusions: ["Cancelling an order"],
      examples: ["refund my last invoice", "I want my money back"],
    }),
    aWorkflow({
      workflow_id: "accounts.unlock",
      name: "Unlock an account",
      description: "Lifts the lockout of an account after failed sign-ins.",
      risk_tier: "medium",
      side_effect: "internal_write",
      capabilities: ["Open a locked account again"],
      examples: ["my account is locked", "too many failed sign-ins"],
    }),
  ];
}

/** `someWorkflows` with a fixed version. */
export function aCatalog(overrides: Plain<Partial<Catalog>> = {}): Catalog {
  return { catalog_version: "catalog-1", sha256: noDigest, workflows: someWorkflows(), ...overrides } as Catalog;
}

/** An eligible candidate of the low tier whose identity-calibrated confidence is `confidence`. */
export function aScoredCandidate(
  overrides: Plain<Partial<ScoredCandidate>> & { readonly confidence?: number } = {},
): ScoredCandidate {
  const { confidence = 0.9, ...rest } = overrides;
  return {
    workflow_id: "orders.status",
    risk_tier: "low",
    eligible: true,
    retrieval_score: 0.8,
    logits: logitsOf(confidence),
    missing_inputs: [],
    input_timeout: false,
    ...rest,
  } as ScoredCandidate;
}

/** Logits whose match probability is `confidence`, in (0, 1). */
export function logitsOf(confidence: number): ScoredCandidate["logits"] {
  const half = Math.log(confidence / 2);
  return { mismatch: Math.log(1 - confidence), needs_input: half, executable: half };
}

/** An overall claim of 5% at 95% confidence that 1 wrong of 100 routed requests certified. */
export function aClaim(overrides: Partial<Claim> = {}): Claim {
  return {
    population: "new_workflows",
    scope: "overall",
    tiers: ["low", "medium", "high", "critical"],
    target_risk: 0.05,
    delta: 0.05,
    certified: true,
    reason: null,
    promise: "When Sluice routes a request, at most 5% of routes go to the wrong workflow (95% confidence).",
    basis: "Measured on 60 workflows it had never seen: 1 wrong of 100 routed (1.0%).",
    requests: 200,
    routed: 100,
    errors: 1,
    workflows: 60,
    effective_routed: 95,
    upper_bound: 0.049,
    icc: 0.05,
    start_errors: 1,
    trace: [],
    ...overrides,
  };
}

/** A tier that was certified on nothing; its thresholds are for tests. */
export function aTier(
  confidence: number | null,
  margin: number | null,
  overrides: Partial<TierCalibration> = {},
): TierCalibration {
  return {
    confidence,
    margin,
    abstain_reason: confidence === null ? "TOO_FEW_ROUTED" : null,
    target_risk: null,
    certify_requests: 0,
    routed: 0,
    errors: 0,
    workflows: 0,
    design_effect: 1,
    curve: [],
    ...overrides,
  };
}

/** A shortlist that lists nearly everything: entry 0.05, relative odds 0.0001, three workflows at most. */
export function aShortlist(overrides: Partial<ShortlistCalibration> = {}): ShortlistCalibration {
  return {
    population: "this_catalog",
    target_miss: 0.05,
    planned_miss: 0.05,
    delta: 0.05,
    certified: true,
    reason: null,
    sentence: "Of the requests in scope, at most 5% get a shortlist without the right workflow (95% confidence).",
    entry: 0.05,
    share: 0.0001,
    size: 3,
    requests: 200,
    missed: 4,
    reachable: 199,
    workflows: 12,
    effective_requests: 200,
    upper_bound: 0.0453,
    listed: 320,
    empty: 2,
    out_of_scope: 40,
    out_of_scope_listed: 12,
    out_of_scope_empty: 33,
    trace: [],
    ...overrides,
  };
}

/** Options of a fit about new workflows. */
export const aFit: Calibration["fit"] = {
  target_risk: 0.1,
  languages: null,
  required_tiers: { low: null, medium: null, high: null, critical: 0.05 },
  delta: 0.05,
  claim: "new-workflows",
  start_errors: [3, 1, 0],
  start_icc: 0.1,
  looser_targets: [0.5],
  looser_share: 0.6,
  left_out: false,
  attempt: null,
  cross_fit: 8,
  calibrator: null,
  out_of_scope_share: 0.2,
};

/** Identity calibrator; thresholds 0.6, 0.7, 0.8 and 0.9 by rising tier, margins 0.1, clarify at 0.5, floor 0.05. */
export function aCalibration(overrides: Plain<Partial<Calibration>> = {}): Calibration {
  return {
    schema_version: 1,
    calibration_version: "calibration-1",
    calibrator: { family: "identity", slope: 1, intercept: 0, fitted_requests: 0, fitted_errors: 0 },
    calibrator_candidates: [],
    certified_workflows: null,
    claims: [],
    cross_fit: null,
    rising_risk: null,
    traffic: {
      declared: false,
      expected: { out_of_scope_share: 0.1, coverage: null, false_route_rate: null, upper_bound: null },
      sensitivity: [],
    },
    tiers: {
      low: aTier(0.6, 0.1),
      medium: aTier(0.7, 0.1),
      high: aTier(0.8, 0.1),
      critical: aTier(0.9, 0.1),
    },
    clarify_threshold: 0.5,
    min_retrieval_score: 0.05,
    joint_delta: 0.1,
    method: "fixed-sequence-n-eff-floor",
    population: "requests of tests",
    out_of_scope_share: 0.1,
    digests: { catalog: noDigest, dataset: noDigest, split: noDigest, run: noDigest },
    fit: aFit,
    warnings: [],
    ...overrides,
  } as Calibration;
}

/** `aCalibration` in which every tier accepts everything. */
export function anAcceptingCalibration(): Calibration {
  return aCalibration({
    tiers: {
      low: aTier(0, 0),
      medium: aTier(0, 0),
      high: aTier(0, 0),
      critical: aTier(0, 0),
    },
    clarify_threshold: 0,
    min_retrieval_score: Number.NEGATIVE_INFINITY,
  });
}

/** `aCalibration` in which every tier declines, and what is near has a shortlist of up to three workflows. */
export function aDecliningCalibration(): Calibration {
  const strict = aTier(1, 0);
  return aCalibration({
    shortlist: aShortlist({ entry: 0, share: 0 }),
    tiers: { low: strict, medium: strict, high: strict, critical: strict },
  });
}

/** The default policy. */
export function aPolicy(overrides: Partial<RoutingPolicy> = {}): RoutingPolicy {
  return { ...defaultPolicy, ...overrides };
}

/** A request without list, context, event or debug. */
export function aRouteRequest(overrides: Partial<RouteRequest> = {}): RouteRequest {
  return {
    request_id: "request-1",
    text: "where is my order",
    context: {},
    catalog_version: null,
    allowed_workflow_ids: null,
    blocked_workflow_ids: [],
    event_type: null,
    language: null,
    debug: false,
    ...overrides,
  };
}

/** Weights of a follow-up's calibrator whose columns count nothing. */
export const noFollowUpWeights: FollowUpCalibrator["weights"] = {
  previous_logit: 0,
  other_logit: 0,
  previous_score: 0,
  other_score: 0,
  other_lead: 0,
  closing: 0,
  new_wish: 0,
  continues: 0,
};
