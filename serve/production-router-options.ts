import { hasMethods, requireArgument, requireOptions } from "../src/base/require-argument.js";
import type { ProductionRouterOptions } from "./load-production-router.js";

const isPath = (value: unknown): boolean => typeof value === "string" && value !== "";
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 1;
const path = ["a path", isPath] as const;
const count = ["a whole number of at least 1", isCount] as const;

const members = {
  catalogPath: path,
  calibrationPath: path,
  artifactManifestPath: path,
  retrieverModel: path,
  verifierModel: path,
  trustPolicyPath: path,
  policyPath: path,
  goldenPath: path,
  revocations: path,
  state: path,
  environment: ["a name", isPath],
  topK: count,
  workers: count,
  allowExactEventRoutes: ["a boolean", (value) => typeof value === "boolean"],
  allowDemonstration: ["a boolean", (value) => typeof value === "boolean"],
  telemetry: ["a sink with a method emit", (value) => hasMethods(value, ["emit"])],
  clock: ["a function that returns a Date", (value) => typeof value === "function"],
  latest: ["a function that returns a Date", (value) => typeof value === "function"],
} as const satisfies Record<keyof ProductionRouterOptions, readonly [string, (value: unknown) => boolean]>;

const required = [
  "artifactManifestPath",
  "catalogPath",
  "calibrationPath",
  "retrieverModel",
  "verifierModel",
  "trustPolicyPath",
] as const satisfies readonly (keyof ProductionRouterOptions)[];

/**
 * @throws {SluiceError} ARGUMENT_INVALID if a member is missing, unknown or of the wrong type
 */
export function requireProductionRouterOptions(options: ProductionRouterOptions): void {
  requireOptions("loadProductionRouter: options", options, members);
  for (const name of required) {
    requireArgument(options[name] !== undefined, `loadProductionRouter: options.${name}`, "a path", undefined);
  }
}
