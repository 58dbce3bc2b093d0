#!/usr/bin/env node
import { userInfo } from "node:os";
import { askAtTerminal } from "./ask-at-terminal.js";
import type { ExitCode } from "./result.js";
import { runCli } from "./run-cli.js";
import { threadsAreLeft } from "../src/inference/left-threads.js";

// The only module of the command line that uses the process. It sets the exit code and lets the process exit on its
// own, because process.exit() would truncate piped output.
const interruption = new AbortController();
let terminated = false;
// Each signal is handled once: a second Ctrl-C or SIGTERM ends the process immediately.
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

/** User name, which a container's user id may not have. */
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
