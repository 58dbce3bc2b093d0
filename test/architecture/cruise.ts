import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { packageRoot } from "../support/package-root.js";
import { compiledFolders } from "./layers.js";

/** Folders with sources. */
export const sourceFolders: readonly string[] = [...compiledFolders, "scripts"];

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
  const args = [bin, "--config", ".dependency-cruiser.cjs", "--output-type", "json", ...sourceFolders];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (stdout === "") throw new Error(`dependency-cruiser printed nothing: ${stderr}`);
  const { summary } = JSON.parse(stdout) as CruiseJson;
  return {
    modules: summary.totalCruised,
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
}
