import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { shippedModels, type ShippedModels } from "../src/documents/choices.js";
import { dirname, join } from "node:path";
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

/** Where Node finds an installed package from a folder; null if it does not. */
function folderOfPackage(name: string, from: string): string | null {
  try {
    return dirname(createRequire(join(from, "package.json")).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

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
  const found = folderOfPackage(multilingualPackage, from);
  if (found !== null) return join(found, role);
  throw new SluiceError("PACKAGE_MISSING", `the multilingual models need the optional package ${multilingualPackage}`, {
    hint: `Run: npm install ${multilingualPackage}`,
  });
}
