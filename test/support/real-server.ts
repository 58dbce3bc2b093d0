/** `sluice-serve` as a separate process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { testTrust } from "./builders-artifacts.js";
import { programs } from "./run-program.js";
import { writeServableBundle } from "./servable-bundle.js";

/** Trust policy and dates that hold now, for a real process. */
export function today(): { readonly trust: Buffer; readonly approval: { not_before: string; expires: string } } {
  const at = (days: number): string =>
    `${new Date(new Date().getTime() + days * 86_400_000).toISOString().slice(0, 19)}Z`;
  const base = testTrust();
  const principals = base.principals.map((person) => ({
    ...person,
    keys: person.keys.map((key) => ({ ...key, valid_until: at(90) })),
  }));
  const trust = canonicalBytes({ ...base, expires: at(90), principals });
  return { trust, approval: { not_before: at(-1), expires: at(30) } };
}

/** What a starting process says on standard error, up to its start line. */
async function startLine({ stderr }: ChildProcess, ended: Promise<unknown>): Promise<string> {
  if (stderr === null) return assert.unreachable() as never;
  let told = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  const failed = ended.then(() => assert.unreachable(told));
  while (!told.includes("/metrics\n")) await Promise.race([once(stderr, "data"), failed]);
  return told;
}

export interface RealServer {
  readonly child: ChildProcess;
  readonly address: string;
  readonly metrics: string;
  /** Ends it as an orchestrator does. @returns exit code */
  readonly end: () => Promise<number | null>;
}

/**
 * `sluice-serve` as a separate process that watches a folder with one bundle.
 * @param shell  how a shell starts it: `"$@"` stands for the command line, `$log` for `log` in the folder
 */
export async function realServer(folder: string, shell: string): Promise<RealServer> {
  const { trust, approval } = today();
  const trustFile = join(folder, "trust.json");
  writeFileSync(trustFile, trust);
  await writeServableBundle(join(folder, "bundle"), "catalog-1", { approval });
  const options = ["--watch", folder, "--trust", trustFile, "--port", "0", "--metrics-port", "0"];
  // A busy test machine is no overload.
  options.push("--authorizer", "local", "--max-event-loop-delay-ms", "60000");
  const line = [process.execPath, programs.serve, ...options];
  const script = ["-c", `log=$1; shift; ${shell}`, "sh", join(folder, "log"), ...line];
  const child = spawn("sh", script, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  const told = await startLine(child, ended);
  const [address = "", metrics = ""] = told.match(/http:\/\/[\d.]+:\d+/gu) ?? [];
  const end = async (): Promise<number | null> => {
    child.kill("SIGTERM");
    const [code] = (await ended) as [number | null];
    return code;
  };
  return { child, address, metrics, end };
}
