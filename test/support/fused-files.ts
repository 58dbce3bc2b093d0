/** Directories of fused retrievers in memory. */
import { readDirectory } from "../../src/artifacts/directory-hash.js";
import { fusedFolders, type FusedRetrieverWire } from "../../src/domain/model.js";
import { type ModelFiles, modelFileName } from "../../src/retrieval/model-files.js";
import { join } from "node:path";
import { packageRoot } from "./package-root.js";

const description: FusedRetrieverWire = {
  schema_version: 1,
  version: "fused-1",
  capability: "development",
  role: "retriever",
  kind: "fused",
  encoder_weight: 0.25,
  fitted_on: { dataset_sha256: "", split_sha256: "", catalog_sha256: "", requests: 1 },
};

/** A fused retriever of two directories. */
export function fusedFiles(
  parts: { readonly encoder: ModelFiles; readonly wordKernels: ModelFiles },
  overrides: Partial<FusedRetrieverWire> = {},
): ModelFiles {
  const inside = (folder: string, files: ModelFiles) =>
    [...files].map(([path, bytes]) => [`${folder}${path}`, bytes] as const);
  return new Map([
    [modelFileName, Buffer.from(JSON.stringify({ ...description, ...overrides }))] as const,
    ...inside(fusedFolders.encoder, parts.encoder),
    ...inside(fusedFolders.wordKernels, parts.wordKernels),
  ]);
}

/** A model that Sluice ships. */
export const shippedFiles = async (role: "retriever" | "verifier"): Promise<ModelFiles> =>
  (await readDirectory(join(packageRoot, "models", "default", role))).files;
