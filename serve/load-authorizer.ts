import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { SluiceError } from "../src/base/error.js";
import type { Authorizer } from "./authorizer.js";

/**
 * Loads an authorizer from the default export of the operator's module.
 * @param path  JavaScript file, absolute or relative to `directory`
 * @throws {SluiceError} PRODUCTION_CONFIGURATION
 */
export async function loadAuthorizer(path: string, directory: string): Promise<Authorizer> {
  const file = resolve(directory, path);
  const module = await importModule(file);
  if (typeof module.default === "function") return module.default as Authorizer;
  throw new SluiceError("PRODUCTION_CONFIGURATION", `${file}: the default export is not a function`, {
    hint: "Set the default export to an async function (request, payload) that returns the workflow ids of the caller.",
  });
}

async function importModule(file: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
  } catch (cause) {
    throw new SluiceError("PRODUCTION_CONFIGURATION", `${file}: the authorizer module cannot be loaded`, {
      hint: `Try it alone: node ${file}`,
      cause,
    });
  }
}
