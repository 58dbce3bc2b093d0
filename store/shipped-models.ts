import { join } from "node:path";
import { packageFolder } from "./tool-version.js";

/** The models that Sluice ships: the default ones, and faster ones that are less accurate. */
export const shippedModels = ["default", "fast"] as const;
export type ShippedModels = (typeof shippedModels)[number];

/** What a project file calls them. */
export const projectNames: Readonly<Record<ShippedModels, string>> = { default: "shipped", fast: "shipped-fast" };

/** The shipped models that a project file names; undefined for a model folder. */
export const shippedBy = (named: string): ShippedModels | undefined =>
  shippedModels.find((models) => projectNames[models] === named);

/** Folder of a shipped model. */
export const shippedFolder = (models: ShippedModels, role: "retriever" | "verifier"): string =>
  join(packageFolder(), "models", models, role);
