/** Files of the shipped checkpoint, models/default. */
import { join } from "node:path";
import { readDirectory } from "../../src/artifacts/directory-hash.js";
import type { ModelSources } from "../../src/routing/load-models.js";
import { packageRoot } from "../../test/support/package-root.js";

const modelFiles = async (role: "retriever" | "verifier") =>
  (await readDirectory(join(packageRoot, "models/default", role))).files;

/** Both models of the shipped checkpoint. */
export async function defaultModels(): Promise<ModelSources> {
  return { retrieverFiles: await modelFiles("retriever"), verifierFiles: await modelFiles("verifier") };
}
