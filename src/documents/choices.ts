/**
 * Sets of words that a caller chooses from. They are separate from the schemas, so that a help text does not load the
 * schema library.
 */

/** In ascending order of risk. Thresholds never decrease in this order. */
export const riskTiers = ["low", "medium", "high", "critical"] as const;
export type RiskTier = (typeof riskTiers)[number];

/**
 * FIT is for fitting models, TUNE and CERTIFY are for fitting the calibrator and testing thresholds, and EVAL is for the
 * report.
 */
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

/** Default for the largest accepted share of near-duplicates: two in a hundred rows. */
export const defaultNearDuplicateLimit = 0.02;

/** Fields of a request whose values have a claim each, if a claim requires that. */
export const sliceFields = ["language"] as const;

/** Claims that `calibrate fit` can make; see docs/concepts/calibration.md. */
export const claimKinds = ["new-workflows", "fixed-catalog"] as const;
export type ClaimKind = (typeof claimKinds)[number];

/** What a claim is derived from: the stored scores, or the dataset, scored again with the bundle's models. */
export const reproductionSources = ["records", "scores"] as const;
export type ReproductionSource = (typeof reproductionSources)[number];

/** All families, by ascending number of parameters. */
export const calibratorFamilyNames = [
  "identity",
  "platt",
  "request-features",
  "verifier-features",
  "catalog-features",
] as const;

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

/** Final activation of a model's graph; `none` for raw logits, which most exports return. */
export const activations = ["none", "sigmoid", "softmax"] as const;
export type Activation = (typeof activations)[number];

/** The first stage that failed, or the correct outcome. Every request falls into exactly one. */
export const attributionBuckets = [
  "ended_early",
  "not_allowed",
  "retrieval_miss",
  "verifier_miss",
  "ineligible_competitor",
  "other_language",
  "not_one_wish",
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

export const modelRoles = ["retriever", "verifier"] as const;
export type ModelRole = (typeof modelRoles)[number];

/** Gates that are given as a word. */
export const namedGates = {
  certified: "every claim of the calibration is certified",
  no_regression: "no metric is significantly worse than the baseline",
} as const;

/** Kinds of record, one per stage. Each record is an immutable entry of the history. */
export const historyKinds = [
  "catalog",
  "dataset",
  "split",
  "audit",
  "model",
  "run",
  "evaluation",
  "plan",
  "calibration",
  "policy",
  "manifest",
  "approval",
  "revocation",
  "trust",
  "export",
  "import",
  "report",
  "checkpoint",
  "collection",
  "quarantine",
  "click",
  "draw",
  "note",
] as const;
export type HistoryKind = (typeof historyKinds)[number];

export const projectFileName = "sluice.yaml";

/** The steps of a project, in the order in which they run. */
export const stepNames = ["import", "split", "audit", "score", "plan", "calibrate", "report"] as const;
/** The additional step of `run --release`. */
export const releaseStepName = "release";

/** Outcomes of a request, most urgent first; `right` requires no repair. */
export const requestBuckets = [
  "routed_wrong",
  "out_of_scope_routed",
  "asked_wrong",
  "out_of_scope_asked",
  "declined_right",
  "declined_wrong",
  "ranked_wrong",
  "not_scored",
  "right",
] as const;

export type RequestBucket = (typeof requestBuckets)[number];

export const bucketMeanings: Readonly<Record<RequestBucket, string>> = {
  routed_wrong: "routed to a wrong workflow",
  out_of_scope_routed: "routed although out of scope",
  asked_wrong: "question about the wrong workflow or input",
  out_of_scope_asked: "question to an out-of-scope request",
  declined_right: "declined, although the correct workflow ranked first",
  declined_wrong: "declined; another workflow ranked first",
  ranked_wrong: "another workflow ranked first; no thresholds apply",
  not_scored: "could not be scored",
  right: "correct outcome",
};

/** Ways to combine token vectors into one vector; `none` if the model already returns one vector per row. */
export const poolings = ["mean", "cls", "max", "last_token", "none"] as const;

export type Pooling = (typeof poolings)[number];

/** Shipped models: the default ones; faster, less accurate ones; and those for 15 languages, a package of their own. */
export const shippedModels = ["default", "fast", "multilingual"] as const;

export type ShippedModels = (typeof shippedModels)[number];

export const sourceKinds = {
  csv: "CSV",
  tsv: "tab-separated text",
  json: "JSON",
  jsonl: "JSON Lines",
  yaml: "YAML",
  text: "text with marked labels",
  parquet: "Parquet",
  xlsx: "Excel workbook",
  folder: "folder",
  tools: "tool list",
  openapi: "OpenAPI document",
} as const;

export type SourceKind = keyof typeof sourceKinds;

/** All reasons for leaving out a row of a source. */
export const leftOutReasons = {
  no_text: "the text is empty",
  too_long: "the text has more than 8,000 characters",
  not_text: "the text cell does not contain text",
  no_label: "the label is empty",
  placeholder: "the label is a placeholder such as N/A",
  several_labels: "the row has several labels",
  not_user: "the row is not what a user said",
  above_header: "the row is above the header",
  describes_columns: "the row describes the columns",
  rejected: "the annotator did not accept the label",
  error_value: "the cell holds an error of the spreadsheet",
  total: "the row is a total",
  ragged: "the row has more cells than the header",
  repeated: "the same text with the same label occurs earlier",
  two_labels: "the same text occurs with another label",
  example: "the text follows another one, and is an example of the catalog",
} as const;

export type LeftOutReason = keyof typeof leftOutReasons;
