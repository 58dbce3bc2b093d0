import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/package-root.js";

/** Folders with sources; each is optional in a partial checkout. */
export const sourceFolders = [
  "src",
  "datasets",
  "eval",
  "calibrate",
  "reports",
  "serve",
  "client",
  "cli",
  "test",
  "bench",
  "scripts",
] as const;

/** What dependency-cruiser saw: the number of modules and, for each violation, its rule and its edge. */
export interface CruiseResult {
  readonly modules: number;
  readonly violations: readonly { readonly rule: string; readonly from: string; readonly to: string }[];
}

interface CruiseJson {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly { readonly from: string; readonly to: string; readonly rule: { name: string } }[];
  };
}

/** Runs dependency-cruiser with the rules of the project over the tree at `root`. */
export function cruise(root: string): CruiseResult {
  const bin = join(packageRoot, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const folders = sourceFolders.filter((folder) => existsSync(join(root, folder)));
  const args = [bin, "--config", ".dependency-cruiser.cjs", "--output-type", "json", ...folders];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (stdout === "") throw new Error(`dependency-cruiser printed nothing: ${stderr}`);
  const { summary } = JSON.parse(stdout) as CruiseJson;
  return {
    modules: summary.totalCruised,
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
}

/** The tables of test/architecture/layers.json. */
export interface Layers {
  /** Layers from the bottom up; a layer imports only from lower floors. */
  readonly floors: readonly (readonly string[])[];
  /** For each layer what it may import; `core` stands for every folder of src. */
  readonly imports: Readonly<Record<string, readonly string[]>>;
  /** For each package the layers that may import it; tests and benchmarks always may. */
  readonly owners: Readonly<Record<string, readonly string[]>>;
}

export function readLayers(): Layers {
  return JSON.parse(readFileSync(join(packageRoot, "test/architecture/layers.json"), "utf8")) as Layers;
}
