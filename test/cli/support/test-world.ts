import type { CliIo } from "../../../cli/cli-io.js";
import { runCli } from "../../../cli/run-cli.js";

/** A world in memory: fixed time, no terminal, no environment. */
export interface TestWorld extends CliIo {
  readonly written: { stdout: string; stderr: string };
}

/** Everything is fixed unless `changes` says otherwise. */
export function testWorld(changes: Partial<CliIo> = {}): TestWorld {
  const written = { stdout: "", stderr: "" };
  return {
    written,
    stdout: (text) => {
      written.stdout += text;
    },
    stderr: (text) => {
      written.stderr += text;
    },
    env: {},
    isTerminal: false,
    columns: { stdout: null, stderr: null },
    clock: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    signal: new AbortController().signal,
    host: { node: "20.20.2", abi: "115", platform: "linux", arch: "x64" },
    enterFolder: () => undefined,
    user: null,
    askSecret: null,
    ask: null,
    ...changes,
  };
}

/** Runs a command in a world in memory. */
export async function inWorld(...args: readonly string[]) {
  const world = testWorld();
  const code = await runCli(args, world);
  return { code, ...world.written };
}

/** The same with --json: the exit code and the document. */
export async function jsonInWorld<T>(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly value: T }> {
  const { code, stdout } = await inWorld(...args, "--json");
  return { code, value: JSON.parse(stdout) as T };
}
