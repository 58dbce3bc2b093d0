#!/usr/bin/env node
import { userInfo } from "node:os";
import type { ExitCode } from "./exit-codes.js";
import { runCli } from "./run-cli.js";
import { threadsAreLeft } from "../src/inference/left-threads.js";
import type { Readable, Writable } from "node:stream";

/** The part of a terminal that is used: the process's stdin when it is one. */
interface TerminalInput extends Readable {
  setRawMode(raw: boolean): unknown;
}

const controlC = "\u0003";
const backspace = new Set(["\u007f", "\b"]);
const lineEnd = new Set(["\r", "\n", "\u0004"]);

interface AskOptions {
  /** Aborted by Ctrl-C, which a terminal in raw mode delivers as a character. */
  readonly interruption: AbortController;
  /** Shows what is typed; never for a secret. Default false. */
  readonly echo?: boolean;
}

/**
 * Asks for one line at a terminal.
 * @throws the reason of the abort
 */
export function askAtTerminal(
  prompt: string,
  input: TerminalInput,
  output: Writable,
  { interruption, echo = false }: AskOptions,
): Promise<string> {
  output.write(prompt);
  input.setRawMode(true);
  input.setEncoding("utf8");
  input.resume();
  return new Promise((resolve, reject) => {
    let typed: readonly string[] = [];
    const finish = (settle: () => void): void => {
      input.off("data", onData);
      interruption.signal.removeEventListener("abort", onAbort);
      input.setRawMode(false);
      input.pause();
      output.write("\n");
      settle();
    };
    const onAbort = (): void => finish(() => reject(interruption.signal.reason));
    const onData = (chunk: string | Buffer): void => {
      for (const character of String(chunk)) {
        if (character === controlC) return interruption.abort();
        if (lineEnd.has(character)) return finish(() => resolve(typed.join("")));
        if (echo) output.write(backspace.has(character) ? "\b \b" : character);
        typed = backspace.has(character) ? typed.slice(0, -1) : [...typed, character];
      }
    };
    interruption.signal.addEventListener("abort", onAbort);
    input.on("data", onData);
  });
}

// The only module of the command line that touches the process. It sets the exit code and lets the process end by
// itself, because process.exit() would cut piped output.
const interruption = new AbortController();
let terminated = false;
// A second Ctrl-C finds no handler and ends the process at once; so does a second SIGTERM.
process.once("SIGINT", () => interruption.abort());
process.once("SIGTERM", () => {
  terminated = true;
  interruption.abort();
});

const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "EPIPE") throw error;
};
process.stdout.on("error", ignoreClosedPipe);
process.stderr.on("error", ignoreClosedPipe);

/** A container may run under a number that has no name. */
function systemUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

const code = await runCli(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  env: process.env,
  isTerminal: process.stderr.isTTY === true,
  columns: {
    stdout: process.stdout.isTTY ? process.stdout.columns : null,
    stderr: process.stderr.isTTY ? process.stderr.columns : null,
  },
  clock: Date.now,
  signal: interruption.signal,
  host: {
    node: process.versions.node,
    abi: process.versions.modules,
    platform: process.platform,
    arch: process.arch,
  },
  enterFolder: (path) => process.chdir(path),
  user: systemUser(),
  askSecret: process.stdin.isTTY
    ? (prompt) => askAtTerminal(prompt, process.stdin, process.stderr, { interruption })
    : null,
  ask:
    process.stdin.isTTY && process.stderr.isTTY
      ? (prompt) => askAtTerminal(prompt, process.stdin, process.stderr, { interruption, echo: true })
      : null,
});
const interrupted: ExitCode = 130;
const afterSigterm: ExitCode = 143;
process.exitCode = code === interrupted && terminated ? afterSigterm : code;
if (threadsAreLeft()) {
  process.stdout.write("", () => process.stderr.write("", () => process.kill(process.pid, "SIGKILL")));
}
