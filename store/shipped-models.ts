import { existsSync } from "node:fs";
import { shippedModels, type ShippedModels } from "../src/documents/choices.js";
import { join } from "node:path";
import { packageFolder } from "../src/base/package-facts.js";
import { SluiceError } from "../src/base/error.js";

export const projectNames: Readonly<Record<ShippedModels, string>> = {
  default: "shipped",
  fast: "shipped-fast",
  multilingual: "shipped-multilingual",
};

const multilingualPackage = "sluice-models-multilingual";

/** The shipped models that a project file names; undefined if it names a folder. */
export const shippedBy = (named: string): ShippedModels | undefined =>
  shippedModels.find((models) => projectNames[models] === named);

/**
 * Folder of a shipped model. The multilingual ones are in a package of their own, and in a checkout of the repository.
 * @param from  folder of this package
 * @throws {SluiceError} PACKAGE_MISSING
 */
export function shippedFolder(
  models: ShippedModels,
  role: "retriever" | "verifier",
  from: string = packageFolder(),
): string {
  const own = join(from, "models", models, role);
  if (models !== "multilingual" || existsSync(own)) return own;
  const places = [join(from, "..", multilingualPackage, role), join(from, "node_modules", multilingualPackage, role)];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new SluiceError("PACKAGE_MISSING", `the multilingual models need the optional package ${multilingualPackage}`, {
    hint: `Run: npm install ${multilingualPackage}`,
  });
}
