import { SluiceError, toSluiceError } from "../src/errors/error.js";
import type { Command } from "./command.js";
import { type Invocation, parseCommandLine } from "./command-line.js";
import { commands as allCommands } from "./commands.js";
import { createContext, type GlobalValues } from "./context.js";
import type { ExitCode } from "./exit-codes.js";
import { globalOptions } from "./global-options.js";
import { environmentTwin, readOptions } from "./options.js";
import { optionTitle } from "./command.js";
import { writeError, writeResult } from "./output.js";
import { shellLine } from "./shell-line.js";
import { toolVersion } from "./tool-version.js";
import type { World } from "./world.js";

/**
 * Runs one command line and returns its exit code; never rejects. With --json, stdout gets exactly one document.
 * @param argv  the words after `sluice`
 */
export async function runCli(
  argv: readonly string[],
  world: World,
  commands: readonly Command[] = allCommands,
): Promise<ExitCode> {
  const json = wantsJson(argv, world.env);
  try {
    const invocation = await parseCommandLine(argv, world.env, commands, toolVersion());
    if (invocation.kind === "text") {
      world.stdout(`${invocation.text}\n`);
      return 0;
    }
    return await runCommand(invocation, world, argv);
  } catch (thrown) {
    const error = world.signal.aborted ? interrupted(argv, thrown) : toSluiceError(thrown);
    writeError(world, error, json);
    return error.entry.exitCode;
  }
}

async function runCommand(
  { command, given }: Extract<Invocation, { kind: "command" }>,
  world: World,
  argv: readonly string[],
): Promise<ExitCode> {
  const globals: GlobalValues = {
    ...readOptions(globalOptions, given, optionTitle),
    workspaceGiven: argv.some((word) => /^(--workspace|-w)(=|$)/.test(word)),
  };
  enterFolder(world, globals.project);
  const context = createContext(world, globals);
  try {
    const result = await command.execute(context, given);
    context.progress.done();
    writeResult(world, result, globals.json);
    return result.exitCode;
  } finally {
    context.progress.done();
  }
}

/** @throws {SluiceError} FILE_NOT_FOUND */
function enterFolder(world: World, folder: string): void {
  if (folder === ".") return;
  try {
    world.enterFolder(folder);
  } catch (cause) {
    throw new SluiceError("FILE_NOT_FOUND", `-C ${folder}: no such folder`, {
      hint: "Name the folder of the project.",
      cause,
    });
  }
}

/** Needed before the command line is known to be valid, because failures are documents too. */
function wantsJson(argv: readonly string[], env: World["env"]): boolean {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const last = words.findLast((word) => word === "--json" || word.startsWith("--json="));
  const value = last === undefined ? env[environmentTwin("json")] : last.slice("--json=".length) || "true";
  return value === "true" || value === "1";
}

function interrupted(argv: readonly string[], cause: unknown): SluiceError {
  return new SluiceError("INTERRUPTED", "interrupted; finished work is kept", {
    hint: `Resume with: ${shellLine(["sluice", ...argv])}`,
    cause,
  });
}
