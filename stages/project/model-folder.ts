import { dirHash1, readDirectory } from "../../src/trust/directory-hash.js";
import { toolVersion } from "../../src/base/package-facts.js";
import { shippedBy, shippedFolder } from "../../store/shipped-models.js";
import type { ProjectFile } from "../../store/project/project-file.js";

type Role = keyof ProjectFile["models"];

export function modelFolder(project: ProjectFile, role: Role): string {
  const named = project.models[role];
  const shipped = shippedBy(named);
  return shipped === undefined ? named : shippedFolder(shipped, role);
}

/** Identity of the models: the version of the shipped models, or the digest of a folder. */
export async function modelDigests(project: ProjectFile): Promise<Readonly<Record<Role, string>>> {
  const digestOf = async (role: Role): Promise<string> => {
    const named = project.models[role];
    if (shippedBy(named) !== undefined) return `${named} ${toolVersion()}`;
    return dirHash1((await readDirectory(named)).entries);
  };
  return { retriever: await digestOf("retriever"), verifier: await digestOf("verifier") };
}
