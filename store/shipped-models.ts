import { shippedModels, type ShippedModels } from "../src/documents/choices.js";
import { join } from "node:path";
import { packageFolder } from "../src/base/package-facts.js";

export const projectNames: Readonly<Record<ShippedModels, string>> = { default: "shipped", fast: "shipped-fast" };

/** The shipped models that a project file names; undefined if it names a folder. */
export const shippedBy = (named: string): ShippedModels | undefined =>
  shippedModels.find((models) => projectNames[models] === named);

export const shippedFolder = (models: ShippedModels, role: "retriever" | "verifier"): string =>
  join(packageFolder(), "models", models, role);
