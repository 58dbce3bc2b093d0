import { spawn } from "node:child_process";
import { join } from "node:path";
import { runCli } from "../../../cli/run-cli.js";
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
  /** Answers questions of the command; without it nobody can be asked. */
  readonly ask?: (prompt: string) => Promise<string>;
  /** Sends a signal as soon as stderr holds this text. */
  readonly interruptAfter?: string;
  /** That signal. Default SIGINT. */
  readonly interruptBy?: "SIGINT" | "SIGTERM";
}

const bin = join(packageRoot, "dist", "cli", "main.js");

/**
 * Variables that the process needs, those that the coverage tool sets, and what the runner of tests sets for all files;
 * nothing of the caller's settings.
 */
function cleanEnvironment(): Record<string, string> {
  const kept = ["PATH", "NODE_OPTIONS", "NODE_V8_COVERAGE", "SLUICE_VECTORS"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), USER: "tester" };
}

/** The command that runs in this process; the next one waits for it, because the current folder is shared. */
let running: Promise<unknown> = Promise.resolve();

/**
 * Runs one command line: in this process, through the same function as the program; as a child process when the test
 * writes to stdin or interrupts.
 */
export function sluice(args: readonly string[], options: SluiceOptions): Promise<Finished> {
  if (options.input !== undefined || options.interruptAfter !== undefined) return sluiceProgram(args, options);
  const finished = running.then(() => inThisProcess(args, options));
  running = finished.catch(() => undefined);
  return finished;
}

async function inThisProcess(args: readonly string[], { cwd, env, ask }: SluiceOptions): Promise<Finished> {
  const before = process.cwd();
  let [stdout, stderr] = ["", ""];
  process.chdir(cwd);
  try {
    const code = await runCli(args, {
      stdout: (text) => {
        stdout += text;
      },
      stderr: (text) => {
        stderr += text;
      },
      env: { ...cleanEnvironment(), ...env },
      isTerminal: false,
      columns: { stdout: null, stderr: null },
      clock: () => new Date().getTime(),
      signal: new AbortController().signal,
      host: {
        node: process.versions.node,
        abi: process.versions.modules,
        platform: process.platform,
        arch: process.arch,
      },
      enterFolder: (path) => process.chdir(path),
      user: null,
      askSecret: null,
      ask: ask ?? null,
    });
    return { code, stdout, stderr };
  } finally {
    process.chdir(before);
  }
}

/** Runs the real program as a child process. */
export function sluiceProgram(args: readonly string[], options: SluiceOptions): Promise<Finished> {
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
    interrupted = child.kill(options.interruptBy ?? "SIGINT");
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
