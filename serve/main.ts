#!/usr/bin/env node
import { randomBytes } from "node:crypto";
import { readFileSync, write } from "node:fs";
import { freemem } from "node:os";
import { promisify } from "node:util";
import { hintOrRemedy, toSluiceError } from "../src/base/error.js";
import { textOf } from "../src/base/invocation.js";
import { threadsAreLeft } from "../src/inference/left-threads.js";
import { LineWriter } from "../src/router/telemetry/line-writer.js";
import { helpText, parseServeArguments, type ServeOptions } from "./arguments.js";
import { configureAuthorizer } from "./authorizers/configure-authorizer.js";
import { availableMemory } from "./control/require-memory.js";
import { parseControlArguments } from "./control/control-arguments.js";
import { sendControlOrder } from "./control/control-client.js";
import { descriptorLimit } from "./descriptor-limit.js";
import { loadBundle } from "./load-production-router.js";
import { endOnSignals } from "./shutdown.js";
import type { ProcessUse } from "./metrics/runtime-metrics.js";
import { startLine, startServer } from "./start.js";

const standardOutput = 1;

/** Prints a failure and sets the exit code. The process then ends by itself, so that no model run is interrupted. */
function report(thrown: unknown): void {
  const error = toSluiceError(thrown);
  process.stderr.write(`error    ${error.code}: ${error.message}\n`);
  process.stderr.write(`hint     ${textOf(hintOrRemedy(error))}\n`);
  process.exitCode = error.entry.exitCode;
}

function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return version;
}

function processUse(): ProcessUse {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return {
    residentBytes: rss,
    heapBytes: heapUsed,
    cpuSeconds: (user + system) / 1e6,
    startedAt: performance.timeOrigin / 1000,
  };
}

/** Writes the log to standard output. A full disk or a closed reader must not end the server. */
function logWriter(): LineWriter {
  const writeSome = promisify(write);
  const log: LineWriter = new LineWriter({
    write: async (bytes) => (await writeSome(standardOutput, bytes)).bytesWritten,
    onRecovered: (lostLines) => {
      const event = { time: new Date().toISOString(), event: "sluice.log", lost_lines: lostLines };
      log.write(`${JSON.stringify(event)}\n`);
    },
  });
  return log;
}

async function serve(options: ServeOptions): Promise<void> {
  const log = logWriter();
  const server = await startServer(options, {
    loadBundle,
    configureAuthorizer: (authorizer, host) => configureAuthorizer(authorizer, { host, directory: process.cwd() }),
    clock: () => new Date(),
    writeLog: (line) => log.write(line),
    seed: randomBytes(32),
    machine: {
      now: () => performance.now(),
      availableMemory: () => availableMemory("/", freemem),
      descriptorLimit: () => descriptorLimit("/"),
      processUse,
      lostLogLines: () => log.lostLines,
      version: version(),
    },
  });
  process.stderr.on("error", () => undefined);
  process.stderr.write(startLine(server));
  process.on("uncaughtException", (error) => {
    report(error);
    server.shutdown.begin().catch(report);
  });
  process.on("SIGHUP", () => void server.reload());
  await endOnSignals(process, server.shutdown);
  await log.flush();
}

async function control(argv: readonly string[]): Promise<void> {
  const { socket, order } = parseControlArguments(argv, process.env, process.cwd());
  process.stdout.write(`${JSON.stringify(await sendControlOrder(socket, order), null, 2)}\n`);
}

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  const wantsHelp = argv.includes("--help") || argv.includes("-h");
  if (argv[0] === "control" && !wantsHelp) return control(argv.slice(1));
  const command = parseServeArguments(wantsHelp ? ["--help"] : argv, process.env);
  if (command.kind === "help") process.stdout.write(helpText);
  else if (command.kind === "version") process.stdout.write(`${version()}\n`);
  else await serve(command.options);
}

// Not awaited, because an unsettled top-level await would override the exit code.
void main()
  .catch(report)
  .then(() => {
    if (threadsAreLeft()) process.stderr.write("", () => process.kill(process.pid, "SIGKILL"));
  });
