import type { CliIo } from "../../../cli/cli-io.js";

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
