import { join } from "node:path";
import { readDirectory } from "../../src/trust/directory-hash.js";
import type { Checkpoint } from "./systems.js";

/** Loads the models of a folder with retriever/ and verifier/. @param name  name in the printed results */
export async function checkpointAt(folder: string, name: string): Promise<Checkpoint> {
  const files = async (role: string) => (await readDirectory(join(folder, role))).files;
  return { name, sources: { retrieverFiles: await files("retriever"), verifierFiles: await files("verifier") } };
}
