import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { packageRoot } from "./package-root.js";

/** Compiled entry points. */
export const programs = {
  sluice: join(packageRoot, "dist", "cli", "main.js"),
  serve: join(packageRoot, "dist", "serve", "main.js"),
} as const;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** What was printed up to now. */
  readonly printed: () => Pick<Finished, "stdout" | "stderr">;
  /** Resolves with the match as soon as standard error contains it; rejects when the program ends before. */
  untilStderr(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts a compiled program as a real process. */
export function startProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = packageRoot,
): Running {
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    // Whole jobs run long enough without being measured line by line.
    env: { ...process.env, NODE_V8_COVERAGE: undefined, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    for (const look of watchers) look();
  });
  const finished = new Promise<Finished>((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })));
  return {
    child,
    finished,
    printed: () => ({ stdout, stderr }),
    untilStderr: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(stderr);
          if (found === null) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
        void finished.then(({ code }) => reject(new Error(`ended with ${code} before ${String(pattern)}: ${stderr}`)));
      }),
  };
}

/** Runs a compiled program to its end. */
export function runProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = packageRoot,
): Promise<Finished> {
  return startProgram(file, args, env, cwd).finished;
}
