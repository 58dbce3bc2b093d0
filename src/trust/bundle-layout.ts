/** Names inside an exported bundle. The catalog is stored unchanged, in whatever syntax it was written. */
export const bundleFiles = {
  index: "bundle.json",
  manifest: "manifest.dsse.json",
  catalog: "catalog.yaml",
  calibration: "calibration.json",
  policy: "policy.json",
  golden: "golden.json",
  /** Only if the retriever has a transformer. */
  vectors: "index/vectors",
} as const;

/** Optional files of a bundle for reproducing its claim; servers do not use them. */
export const recordFiles = {
  scored: "records/scored.arrow",
  /** The scored background requests, if the calibration was fitted with any. */
  background: "records/background.arrow",
  /** The scored follow-ups, if the calibration was fitted with any. */
  follow_ups: "records/follow-ups.arrow",
} as const;

/** Folders inside an exported bundle, with a trailing slash. */
export const bundleFolders = {
  approvals: "approvals/",
  retriever: "models/retriever/",
  verifier: "models/verifier/",
  evidence: "evidence/",
} as const;

/** Names of the evaluation and the run in the evidence. */
export const evaluationEvidence = "evaluation.json";
export const runEvidence = "run.json";

const envelopeSuffix = ".dsse.json";

/** Path of an approval; `name` identifies the approver for readers, and verification ignores it. */
export function approvalPath(name: string): string {
  return `${bundleFolders.approvals}${name}${envelopeSuffix}`;
}

export function isApprovalPath(path: string): boolean {
  const name = path.slice(bundleFolders.approvals.length);
  return path.startsWith(bundleFolders.approvals) && name.endsWith(envelopeSuffix) && !name.includes("/");
}

/** Files below a folder of the bundle, by path relative to that folder. */
export function filesBelow<T>(files: ReadonlyMap<string, T>, folder: string): ReadonlyMap<string, T> {
  const inside = [...files].filter(([path]) => path.startsWith(folder));
  return new Map(inside.map(([path, content]) => [path.slice(folder.length), content]));
}
