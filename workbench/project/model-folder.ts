import { join } from "node:path";
import { dirHash1, readDirectory } from "../../src/artifacts/directory-hash.js";
import { packageFolder, toolVersion } from "../tool-version.js";
import { type ProjectFile, shippedModels } from "./project-file.js";

type Role = keyof ProjectFile["models"];

/** The model folder that a project names. */
export function modelFolder(project: ProjectFile, role: Role): string {
  const named = project.models[role];
  return named === shippedModels ? join(packageFolder(), "models", "default", role) : named;
}

/** Identity of the models: the version of the shipped models, or the digest of a folder. */
export async function modelDigests(project: ProjectFile): Promise<Readonly<Record<Role, string>>> {
  const digestOf = async (role: Role): Promise<string> => {
    if (project.models[role] === shippedModels) return `${shippedModels} ${toolVersion()}`;
    return dirHash1((await readDirectory(project.models[role])).entries);
  };
  return { retriever: await digestOf("retriever"), verifier: await digestOf("verifier") };
}
