#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { toSluiceError } from "../src/errors/error.js";
import { helpText, parseServeArguments, type ServeOptions } from "./arguments.js";
import { configureAuthorizer } from "./authorizers/configure-authorizer.js";
import { bundleLoader } from "./bundle-loader.js";
import { endOnSignals } from "./end-on-signals.js";
import { startLine, startServer } from "./start.js";

/** Prints a failure and sets the exit code; the process then ends by itself, never in the middle of a model run. */
function report(thrown: unknown): void {
  const error = toSluiceError(thrown);
  process.stderr.write(`error ${error.code}: ${error.message}\n`);
  if (error.hint !== undefined) process.stderr.write(`hint: ${error.hint}\n`);
  process.exitCode = error.entry.exitCode;
}

function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return version;
}

async function serve(options: ServeOptions): Promise<void> {
  const server = await startServer(options, {
    loadBundle: (load) => bundleLoader.loadBundle(load),
    configureAuthorizer: (authorizer, host) =>
      configureAuthorizer(authorizer, { host, directory: process.cwd(), clock: () => new Date() }),
    clock: () => new Date(),
    writeLog: (line) => process.stdout.write(line),
  });
  process.stderr.write(startLine(server));
  // A log reader that goes away must not end the server.
  process.stdout.on("error", () => undefined);
  process.on("uncaughtException", (error) => {
    report(error);
    server.shutdown.begin().catch(report);
  });
  await endOnSignals(process, server.shutdown);
}

async function main(): Promise<void> {
  const command = parseServeArguments(process.argv.slice(2), process.env);
  if (command.kind === "help") process.stdout.write(helpText);
  else if (command.kind === "version") process.stdout.write(`${version()}\n`);
  else await serve(command.options);
}

// Not awaited: an unsettled await at the top level would replace the exit code.
main().catch(report);
