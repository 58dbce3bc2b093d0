import { readOptions } from "../src/base/options.js";
import { type Caller, toCaller } from "./caller.js";
import { hintOrRemedy, SluiceError, toSluiceError } from "../src/base/error.js";
import { type Command, optionTitle } from "./command.js";
import { type ReadCommandLine, parseCommandLine } from "./command-line.js";
import { commands as allCommands } from "./commands.js";
import { createContext, type GlobalValues } from "./context.js";
import { shownSettings } from "./shown-settings.js";
import type { ExitCode } from "./result.js";
import { globalOptions } from "./global-options.js";
import { environmentTwin } from "./options.js";
import { helpColumns } from "./help.js";
import { type Output, writeError, writeResult } from "./output.js";
import { stylesOf } from "./terminal/terminal.js";
import { toolVersion } from "../src/base/package-facts.js";
import type { CliIo } from "./cli-io.js";

/**
 * Runs one command line and returns its exit code; never rejects. With --json, exactly one document is written to
 * stdout.
 * @param argv  the words after `sluice`
 */
export async function runCli(
  argv: readonly string[],
  world: CliIo,
  commands: readonly Command[] = allCommands,
): Promise<ExitCode> {
  const output = { world, styles: stylesOf(argv, world), json: wantsJson(argv, world.env) };
  try {
    const help = { version: toolVersion(), columns: helpColumns(output.styles.stdout.columns) };
    const invocation = await parseCommandLine(argv, world.env, commands, help);
    if (invocation.kind === "text") {
      world.stdout(`${invocation.text}\n`);
      return 0;
    }
    return await runCommand(invocation, output, world, { argv, commands });
  } catch (thrown) {
    const error = world.signal.aborted ? interrupted(argv, thrown) : toSluiceError(thrown);
    writeError(output, error);
    return error.entry.exitCode;
  }
}

async function runCommand(
  { command, given, originOf }: Extract<ReadCommandLine, { kind: "command" }>,
  output: Output,
  world: CliIo,
  { argv, commands }: { readonly argv: readonly string[]; readonly commands: readonly Command[] },
): Promise<ExitCode> {
  const titleOf = (name: string): string =>
    originOf(name) === "environment" ? environmentTwin(name) : optionTitle(name);
  const values = readOptions(globalOptions, given, titleOf);
  const shown = Object.keys(globalOptions).map((name) => {
    const value = values[name as keyof typeof values];
    return [name, { value: value === undefined ? null : String(value), origin: originOf(name) }] as const;
  });
  const globals: GlobalValues = {
    ...values,
    workspaceGiven: originOf("workspace") === "flag",
    initWords: command.name[0] === "init" ? argv.filter((word) => word !== "--json") : null,
    settings: shownSettings(Object.fromEntries(shown), world.env, commands),
  };
  enterFolder(world, globals.project);
  const context = createContext(world, globals, commands);
  try {
    const result = await command.execute(context, given, titleOf);
    context.progress.done();
    writeResult(output, { ...result, warnings: result.warnings.map((warning) => toCaller(warning, globals)) });
    return result.exitCode;
  } catch (thrown) {
    throw hintedFor(toSluiceError(thrown), globals);
  } finally {
    context.progress.done();
  }
}

function enterFolder(world: CliIo, folder: string): void {
  if (folder === ".") return;
  try {
    world.enterFolder(folder);
  } catch (cause) {
    throw new SluiceError("FILE_NOT_FOUND", `-C ${folder}: no such folder`, {
      hint: "Set -C to the folder of the project.",
      cause,
    });
  }
}

/** Whether --json is set. Read before the command line is validated, because failures are documents too. */
function wantsJson(argv: readonly string[], env: CliIo["env"]): boolean {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const last = words.findLast((word) => word === "--json" || word.startsWith("--json="));
  const value = last === undefined ? env[environmentTwin("json")] : last.slice("--json=".length) || "true";
  return value === "true" || value === "1";
}

function hintedFor(error: SluiceError, caller: Caller): SluiceError {
  const { code, message, details, cause } = error;
  return new SluiceError(code, message, { hint: toCaller(hintOrRemedy(error), caller), cause, details });
}

function interrupted(argv: readonly string[], cause: unknown): SluiceError {
  return new SluiceError("INTERRUPTED", "interrupted; finished work is saved", {
    hint: ["Resume with: ", { command: "sluice", args: argv }],
    cause,
  });
}
