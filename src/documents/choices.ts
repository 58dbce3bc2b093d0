/** Words that a caller chooses among. They are separate from the schemas, which need a package, so that a help text loads none. */

/** Rising risk. Thresholds never fall along this order. */
export const riskTiers = ["low", "medium", "high", "critical"] as const;
export type RiskTier = (typeof riskTiers)[number];

/** FIT: models and calibrators. TUNE: path of thresholds. CERTIFY: the tests, once. EVAL: the report. */
export const folds = ["fit", "tune", "certify", "eval"] as const;
export type Fold = (typeof folds)[number];

/** Every check of an audit, in the order of its findings. */
export const auditChecks = [
  "exact_duplicate",
  "label_conflict",
  "near_duplicate",
  "small_workflow",
  "out_of_scope_share",
  "personal_data",
  "exact_fold_leakage",
  "fold_leakage",
  "outside_split",
  "catalog_example",
  "example_family",
  "unknown_workflow",
] as const;
export type AuditCheck = (typeof auditChecks)[number];

/** Largest share of near-duplicates that passes when the caller names none: two in a hundred rows. */
export const defaultNearDuplicateLimit = 0.02;

/** What `calibrate fit` can claim; docs/concepts/calibration.md explains each. */
export const claimKinds = ["new-workflows", "fixed-catalog", "expected-joint-risk"] as const;
export type ClaimKind = (typeof claimKinds)[number];

/** What a claim is derived from: the scored records, or the dataset, scored again with the models of the bundle. */
export const reproductionSources = ["records", "scores"] as const;
export type ReproductionSource = (typeof reproductionSources)[number];

/** Every family, by rising number of parameters. */
export const calibratorFamilyNames = [
  "identity",
  "temperature",
  "platt",
  "evidence",
  "isotonic",
  "verifier-evidence",
  "catalog-evidence",
] as const;

/** What a verifier says of a pair. */
export const verifierLabels = ["mismatch", "needs_input", "executable"] as const;
export type VerifierLabel = (typeof verifierLabels)[number];

/** Meaning of each column of a verifier's output. */
export const verifierColumns = [
  ...verifierLabels,
  "entailment",
  "neutral",
  "contradiction",
  "not_entailment",
  "relevance",
] as const;
export type VerifierColumn = (typeof verifierColumns)[number];

/** What a graph applies to its scores last: nothing for raw logits, which most exports return. */
export const activations = ["none", "sigmoid", "softmax"] as const;
export type Activation = (typeof activations)[number];

/** The first stage that failed, or the correct outcome. Every request has exactly one. */
export const attributionBuckets = [
  "ended_early",
  "not_allowed",
  "retrieval_miss",
  "verifier_miss",
  "ineligible_competitor",
  "retrieval_floor",
  "input_timeout",
  "inputs_unresolved",
  "tier_disabled",
  "threshold",
  "margin",
  "wrong_question",
  "right_question",
  "correct_route",
  "out_of_scope_routed",
  "out_of_scope_asked",
  "correct_abstention",
] as const;
export type AttributionBucket = (typeof attributionBuckets)[number];

/** What a model directory can be. */
export const modelRoles = ["retriever", "verifier"] as const;
export type ModelRole = (typeof modelRoles)[number];
