import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/package-root.js";

const outputs = new Set(["node_modules", "dist", "coverage", ".git"]);

/** All files below a folder of the project as paths from its root, without installed and generated ones. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(packageRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    if (outputs.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** Files that belong to the project: what git tracks or would track; without git, all files. */
export function projectFiles(): string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { status, stdout } = spawnSync("git", args, { cwd: packageRoot, encoding: "utf8" });
  if (status !== 0) return filesBelow(".");
  return stdout.split("\0").filter((file) => file !== "" && existsSync(join(packageRoot, file)));
}
