import type { Option, OptionSet } from "../src/base/options.js";
import yargs from "yargs";
import type { Argv } from "yargs";
import { SluiceError, type Text } from "../src/base/error.js";
import { type Command, commandLine, type Given } from "./command.js";
import type { Origin } from "./shown-settings.js";
import {
  commandEpilogue,
  firstCommands,
  type HelpSettings,
  nounEpilogue,
  rootEpilogue,
  withoutHelpWord,
} from "./help.js";
import { globalOptions } from "./global-options.js";
import { nounDescriptions } from "./nouns.js";
import { environmentTwin, shortFlags } from "./options.js";
import { suggest } from "../src/base/suggest.js";

export type ReadCommandLine =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "command";
      readonly command: Command;
      readonly given: Given;
      readonly originOf: (name: string) => Origin;
    };

type RawArguments = Readonly<Record<string, unknown>>;

const parserConfiguration = {
  "boolean-negation": false,
  "camel-case-expansion": false,
  "dot-notation": false,
  "parse-numbers": false,
  "parse-positional-numbers": false,
};

/** Thrown by the handler of a command, because yargs would format the whole help text after a handler that returns. */
class ChosenCommand extends Error {
  readonly command: Command;
  readonly raw: RawArguments;

  constructor(command: Command, raw: RawArguments) {
    super();
    this.command = command;
    this.raw = raw;
  }
}

interface Adding {
  readonly columns: number;
  /** Whether the list of commands includes it. */
  readonly isShown: boolean;
}
/** Replaces the positional argument `-`, which yargs would read as an empty text. */
const dash = "\u0000-";

/**
 * Reads a command line without running or printing anything. Values are not converted. A missing flag is read from its
 * environment variable; an empty variable counts as missing.
 *
 * @throws {SluiceError} USAGE
 */
export async function parseCommandLine(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  commands: readonly Command[],
  help: HelpSettings,
): Promise<ReadCommandLine> {
  const words = withoutHelpWord(argv, commands);
  const parser = buildParser(commands, { ...help, everything: words.everything }).fail((message, error) => {
    if (error !== undefined && error !== null && error.name !== "YError") throw error;
    throw usageError(message ?? error.message, words.argv, commands);
  });
  const found = await outputOf(
    parser,
    words.argv.map((word) => (word === "-" ? dash : word)),
  ).catch((error: unknown) => {
    if (error instanceof ChosenCommand) return error;
    throw error;
  });
  if (found === "") throw new SluiceError("USAGE", "no command given", { hint: helpHint() });
  if (typeof found === "string") return { kind: "text", text: found };
  const { command, raw } = found;
  return { kind: "command", command, given: givenTexts(command, raw, env), originOf: originIn(raw, env) };
}

function buildParser(commands: readonly Command[], help: HelpSettings & { readonly everything: boolean }): Argv {
  const root = yargs([])
    .scriptName("sluice")
    .usage("sluice <noun> <verb>: route requests for workflows, or decline, with a stated guarantee.")
    .exitProcess(false)
    .strict()
    .locale("en")
    .updateStrings({ "Options:": "Options of every command:" })
    .wrap(help.columns)
    .parserConfiguration(parserConfiguration)
    .demandCommand(1)
    .version(help.version)
    .help()
    .describe("help", "show this text")
    .describe("version", "show the version")
    .alias("help", shortFlags["help"] ?? "help")
    .epilogue(rootEpilogue(help.columns, help.everything));
  addOptions(root, globalOptions);
  for (const noun of new Set(commands.map(({ name }) => name[0]))) {
    const family = commands.filter(({ name }) => name[0] === noun);
    const alone = family.find(({ name }) => name.length === 1);
    const isShown = help.everything || firstCommands.includes(noun);
    if (alone !== undefined) addCommand(root, alone, { columns: help.columns, isShown });
    else {
      const build = (parser: Argv): Argv => addVerbs(parser, noun, family, { columns: help.columns, isShown: true });
      if (isShown) root.command(noun, nounDescriptions[noun] ?? "", build);
      else root.command(noun, false, build);
    }
  }
  return root;
}

function addVerbs(parser: Argv, noun: string, family: readonly Command[], adding: Adding): Argv {
  parser
    .usage(`sluice ${noun} <verb>: ${nounDescriptions[noun] ?? ""}`)
    .demandCommand(1)
    .epilogue(nounEpilogue(adding.columns));
  for (const command of family) addCommand(parser, command, adding);
  return parser;
}

function addCommand(parser: Argv, command: Command, { columns, isShown }: Adding): void {
  const words = Object.entries(command.positionals).map(([name, option]) => positionalWord(name, option));
  const build = (builder: Argv): Argv => {
    for (const [name, option] of Object.entries(command.positionals)) {
      builder.positional(name, { type: "string", describe: option.describe });
    }
    addOptions(builder, command.options);
    builder.group(Object.keys(command.options), "Options:").epilogue(commandEpilogue(command.examples, columns));
    return builder;
  };
  const verb = command.name[1] ?? command.name[0];
  const line = [verb, ...words].join(" ");
  const run = (raw: RawArguments & { readonly _: readonly (string | number)[] }): void => {
    const further = raw._.slice(command.name.length);
    if (further.length > 0) {
      throw new SluiceError("USAGE", `${commandLine(command)} takes no further argument "${String(further[0])}"`);
    }
    throw new ChosenCommand(command, raw);
  };
  if (isShown) parser.command(line, command.describe, build, run);
  else parser.command(line, false, build, run);
}

function positionalWord(name: string, option: Option<unknown>): string {
  if (option.presence === "repeated") return `[${name}..]`;
  return option.presence === "required" ? `<${name}>` : `[${name}]`;
}

function addOptions(parser: Argv, options: OptionSet): void {
  for (const [name, option] of Object.entries(options)) {
    const short = shortFlags[name];
    parser.option(name, {
      ...(option.placeholder === null ? { type: "boolean" as const } : { type: "string" as const, requiresArg: true }),
      ...(short === undefined ? {} : { alias: short }),
      describe: describeOption(name, option),
    });
  }
}

function describeOption(name: string, option: Option<unknown>): string {
  const notes = [
    ...(option.placeholder === null ? [] : [foldable(option.placeholder)]),
    ...(option.presence === "optional" ? [] : [option.presence]),
    ...(option.preset === null ? [] : [`default ${option.preset}`]),
    environmentTwin(name),
  ];
  return `${option.describe} (${notes.join("; ")})`;
}

/** Adds spaces at which a list of choices can be folded; it is otherwise one long word. */
const foldable = (placeholder: string): string =>
  placeholder.replace(/[|,](?=[a-z])/g, (sign) => (sign === "|" ? " | " : ", "));

/** The text that yargs would print for --help or --version, otherwise "". */
function outputOf(parser: Argv, argv: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const finish = (error: Error | undefined, _: unknown, output: string): void => {
      if (error === undefined || error === null) resolve(output);
      else reject(error);
    };
    Promise.resolve(parser.parseAsync([...argv], {}, finish)).catch(reject);
  });
}

const originIn =
  (raw: RawArguments, env: Readonly<Record<string, string | undefined>>) =>
  (name: string): Origin => {
    if (raw[name] !== undefined) return "flag";
    return (env[environmentTwin(name)] ?? "") === "" ? "default" : "environment";
  };

function givenTexts(command: Command, raw: RawArguments, env: Readonly<Record<string, string | undefined>>): Given {
  return (name) => {
    const value = raw[name];
    if (value !== undefined) {
      return (Array.isArray(value) ? value : [value]).map((word) => (word === dash ? "-" : String(word)));
    }
    if (name in command.positionals) return [];
    const twin = env[environmentTwin(name)];
    if (twin === undefined || twin === "") return [];
    const option = command.options[name];
    return option?.presence === "repeated" ? twin.split(",") : [twin];
  };
}

function leadingWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith("-"));
  return end === -1 ? argv : argv.slice(0, end);
}

function namedCommand(argv: readonly string[], commands: readonly Command[]): Command | null {
  const words = argv.filter((word) => !word.startsWith("-"));
  return commands.find(({ name }) => name.every((part, index) => words[index] === part)) ?? null;
}

const helpHint = (...words: readonly string[]): Text => ["Run: ", { command: "sluice", args: [...words, "--help"] }];

function unknownFlag(typed: string, command: Command | null): SluiceError {
  const known = [...Object.keys(command?.options ?? {}), ...Object.keys(globalOptions), "help"];
  const nearest = suggest(typed.replace(/^-+/, ""), known);
  const owner = command === null ? "sluice" : commandLine(command);
  const question = nearest === null ? "" : `; did you mean --${nearest}?`;
  return new SluiceError("USAGE", `${owner} has no flag ${typed}${question}`, {
    hint: helpHint(...(command?.name ?? [])),
  });
}

function unknownCommand(words: readonly string[], commands: readonly Command[]): SluiceError {
  const [noun = "", verb] = words;
  const nouns = [...new Set(commands.map(({ name }) => name[0]))];
  const knowsNoun = nouns.includes(noun);
  const verbs = commands.filter(({ name }) => name[0] === noun).flatMap(({ name }) => name[1] ?? []);
  const given = knowsNoun ? `${noun} ${verb ?? ""}`.trim() : noun;
  const nearest = knowsNoun ? suggest(verb ?? "", verbs) : suggest(noun, nouns);
  const better = knowsNoun && nearest !== null ? `${noun} ${nearest}` : (nearest ?? commandOfVerb(noun, commands));
  const question = better === null ? "" : `; did you mean "${better}"?`;
  return new SluiceError("USAGE", `there is no command "${given}"${question}`, {
    hint: helpHint(...(knowsNoun ? [noun] : [])),
  });
}

/** The command whose verb was given without its noun, e.g. `lint`; null if there is none or more than one. */
function commandOfVerb(word: string, commands: readonly Command[]): string | null {
  const [only, ...more] = commands.filter(({ name }) => name[1] === word);
  return only === undefined || more.length > 0 ? null : only.name.join(" ");
}

/**
 * The error for a command line that yargs rejected, in terms of the given arguments.
 * @param message  the English message of yargs, which is only matched against patterns
 */
function usageError(message: string, argv: readonly string[], commands: readonly Command[]): SluiceError {
  const command = namedCommand(argv, commands);
  const [, unknown] = /^Unknown (?:argument|command)s?: ([^,]+)/.exec(message) ?? [];
  if (unknown !== undefined) {
    const typed = argv
      .map((word) => word.split("=")[0] ?? "")
      .find((word) => /^-+/.test(word) && word.replace(/^-+/, "") === unknown);
    const words = leadingWords(argv);
    if (command === null && words.length > 0) return unknownCommand(words, commands);
    if (typed !== undefined) return unknownFlag(typed, command);
    if (command === null) return unknownCommand(words, commands);
    return new SluiceError("USAGE", `${commandLine(command)} takes no further argument "${unknown}"`, {
      hint: helpHint(...command.name),
    });
  }
  const [, valueless] = /^Not enough arguments following: (.+)$/.exec(message) ?? [];
  const words = command === null ? leadingWords(argv) : command.name;
  const owner = ["sluice", ...words].join(" ");
  const hint = helpHint(...words);
  if (valueless !== undefined) return new SluiceError("USAGE", `--${valueless} needs a value`, { hint });
  if (command === null) return new SluiceError("USAGE", `${owner}: no command given`, { hint });
  const needed = Object.keys(command.positionals).map((name) => `<${name}>`);
  if (message.startsWith("Not enough non-option arguments")) {
    return new SluiceError("USAGE", `${owner} needs ${needed.join(" ")}`, { hint });
  }
  return new SluiceError("USAGE", message, { hint });
}
