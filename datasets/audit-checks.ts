/** Every check of the audit, in the order of its findings. */
export const auditChecks = [
  "exact_duplicate",
  "label_conflict",
  "near_duplicate",
  "small_workflow",
  "out_of_scope_share",
  "personal_data",
  "fold_leakage",
  "outside_split",
  "catalog_example",
  "unknown_workflow",
] as const;
export type AuditCheck = (typeof auditChecks)[number];

/** Largest share of near-duplicates that passes when the caller names none: two in a hundred rows. */
export const defaultNearDuplicateLimit = 0.02;
