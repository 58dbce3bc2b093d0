import { constants } from "node:fs";
import { access, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type PackageFacts, packageFacts, packageFolder } from "../tool-version.js";
import type { Workspace } from "../workspace.js";
import type { Host } from "../world.js";

/** One finding about the machine. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** The command or step that repairs it; null when it is in order. */
  readonly repair: string | null;
}

const nativePackages = ["better-sqlite3", "onnxruntime-node"] as const;

/** Every check, in a fixed order. Writes nothing. */
export async function runChecks(host: Host, workspace: Workspace): Promise<readonly Check[]> {
  const facts = packageFacts();
  const packages = nativePackages.map((name) => checkPackage(name, facts));
  return [checkNode(host, facts), ...(await Promise.all(packages)), await checkWorkspace(workspace)];
}

function checkNode(host: Host, facts: PackageFacts): Check {
  const wanted = facts.engines.node;
  const ok = isAtLeast(host.node, wanted.replace(/^>=/, ""));
  return {
    name: "node",
    ok,
    found: `${host.node} (native interface ${host.abi}, ${host.platform} ${host.arch}), needs ${wanted}`,
    repair: ok ? null : "Install Node 20.19 or later.",
  };
}

/** Compares dotted numbers from the left; absent parts count as 0. */
export function isAtLeast(version: string, floor: string): boolean {
  const [have, need] = [version, floor].map((text) => text.split(".").map((part) => Number.parseInt(part, 10)));
  for (const [index, wanted] of (need ?? []).entries()) {
    const part = have?.[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

async function checkPackage(name: string, facts: PackageFacts): Promise<Check> {
  const wanted = facts.dependencies[name] ?? "none";
  const installed = await installedVersion(name, packageFolder());
  const ok = installed === wanted;
  const found = `${installed ?? "not installed"}${ok ? "" : `, needs ${wanted}`}`;
  return { name, ok, found, repair: ok ? null : "npm ci" };
}

/** The version of an installed package, looked up as Node does: in node_modules of this folder and those above. */
async function installedVersion(name: string, folder: string): Promise<string | null> {
  const file = join(folder, "node_modules", name, "package.json");
  const bytes = await readFile(file, "utf8").catch(() => null);
  if (bytes !== null) return (JSON.parse(bytes) as { readonly version: string }).version;
  const parent = dirname(folder);
  return parent === folder ? null : installedVersion(name, parent);
}

async function checkWorkspace(workspace: Workspace): Promise<Check> {
  const existing = await nearestFolder(resolve(workspace.directory));
  const writable = await access(existing, constants.W_OK).then(
    () => true,
    () => false,
  );
  const isNew = existing !== resolve(workspace.directory);
  return {
    name: "workspace",
    ok: writable,
    found: `${workspace.directory}${isNew ? " (will be created)" : ""}${writable ? "" : ": not writable"}`,
    repair: writable ? null : "Choose a writable folder with --workspace.",
  };
}

async function nearestFolder(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  return isFolder || dirname(path) === path ? path : nearestFolder(dirname(path));
}
