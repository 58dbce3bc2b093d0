import { join } from "node:path";
import { packageFolder } from "../tool-version.js";
import { type ProjectFile, shippedModels } from "./project-file.js";

/** The model folder that a project names. */
export function modelFolder(project: ProjectFile, role: "retriever" | "verifier"): string {
  const named = project.models[role];
  return named === shippedModels ? join(packageFolder(), "models", "default", role) : named;
}
