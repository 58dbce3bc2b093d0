/** One noun per stage; a record of each kind is one immutable entry of the history. */
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
] as const;
export type HistoryKind = (typeof historyKinds)[number];
