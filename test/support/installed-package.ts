import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { madeOnce } from "../cli/support/made-once.js";
import { packageRoot } from "./package-root.js";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of a consumer, where the packed package is installed as anybody would. */
export interface Consumer {
  readonly folder: string;
  readonly installed: Ended;
  /** Runs a program in the folder. */
  readonly run: (command: string, ...args: readonly string[]) => Ended;
  readonly remove: () => void;
}

function runIn(cwd: string, command: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Ended {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|ONNXRUNTIME_)/i.test(name)));
  const options = { cwd, env: { ...env, NODE_V8_COVERAGE: undefined, ...more }, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(command, args, { ...options, maxBuffer: 2 ** 26 });
  return { code: status, stdout, stderr };
}

/** Whether the registry answers; a machine without one cannot install anything. */
export function registryAnswers(): boolean {
  const patience = ["--fetch-retries=0", "--fetch-timeout=10000", "--prefer-online"];
  return runIn(tmpdir(), "npm", ["view", "better-sqlite3", "name", ...patience]).code === 0;
}

/**
 * The binding that this checkout compiled, as the binary that a download would bring: the install script of
 * better-sqlite3 takes it from this folder and does not compile for a minute.
 */
function localBinding(folder: string): NodeJS.ProcessEnv {
  const home = join(packageRoot, "node_modules", "better-sqlite3");
  const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { readonly version: string };
  const platform = `${process.platform}-${process.arch}`;
  const name = `better-sqlite3-v${version}-node-v${process.versions.modules}-${platform}.tar.gz`;
  mkdirSync(folder);
  runIn(home, "tar", ["-czf", join(folder, name), "build/Release/better_sqlite3.node"]);
  return { npm_config_better_sqlite3_local_prebuilds: folder };
}

/** A folder with the published declarations of this build. */
export const publishedTypes = (): Promise<string> =>
  madeOnce("published-types", async (folder) => {
    const { code, stderr } = runIn(packageRoot, process.execPath, ["scripts/public-types.mjs", folder]);
    if (code !== 0) throw new Error(stderr);
  });

/** Packs the package and installs it with a plain `npm install` in an empty folder. */
export async function installPacked(): Promise<Consumer> {
  const root = mkdtempSync(join(tmpdir(), "sluice-package-"));
  const folder = join(root, "consumer");
  mkdirSync(folder);
  const types = join(packageRoot, "dist", "types");
  rmSync(types, { recursive: true, force: true });
  cpSync(await publishedTypes(), types, { recursive: true });
  const packed = runIn(packageRoot, "npm", ["pack", "--ignore-scripts", "--pack-destination", root]);
  const archive = readdirSync(root).find((name) => name.endsWith(".tgz"));
  if (archive === undefined) throw new Error(packed.stderr);
  const installed = runIn(
    folder,
    "npm",
    ["install", join(root, archive), "--prefer-offline"],
    localBinding(join(root, "prebuilds")),
  );
  return {
    folder,
    installed,
    run: (command, ...args) => runIn(folder, command, args),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Copies an example of the documentation into the folder of a consumer. */
export function copyExample({ folder }: Consumer, name: string): void {
  cpSync(join(packageRoot, "docs", "examples", name), join(folder, name));
}
