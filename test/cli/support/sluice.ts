import { spawn } from "node:child_process";
import { join } from "node:path";
import { packageRoot } from "../../support/package-root.js";

export interface Finished {
  /** Exit code; null when a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SluiceOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed; without it stdin stays open and idle. */
  readonly input?: string;
  /** Sends SIGINT as soon as stderr holds this text. */
  readonly interruptAfter?: string;
}

const bin = join(packageRoot, "dist", "cli", "main.js");

/** Variables that the process needs, and those that the coverage tool sets; nothing of the caller's settings. */
function cleanEnvironment(): Record<string, string> {
  const kept = ["PATH", "NODE_V8_COVERAGE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), USER: "tester" };
}

/** Runs the real program as a child process. */
export function sluice(args: readonly string[], options: SluiceOptions): Promise<Finished> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: options.cwd,
    env: { ...cleanEnvironment(), ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  if (options.input !== undefined) child.stdin.end(options.input);
  let [stdout, stderr] = ["", ""];
  let interrupted = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (interrupted || options.interruptAfter === undefined || !stderr.includes(options.interruptAfter)) return;
    interrupted = child.kill("SIGINT");
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
