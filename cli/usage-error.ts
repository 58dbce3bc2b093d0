import { SluiceError } from "../src/errors/error.js";
import { type Command, commandLine } from "./command.js";
import { globalOptions } from "./global-options.js";
import { suggest } from "../src/errors/suggest.js";

/** The words of a command line up to its first option. */
function leadingWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith("-"));
  return end === -1 ? argv : argv.slice(0, end);
}

/** The command that a command line names, with options anywhere; null when it names none. */
export function namedCommand(argv: readonly string[], commands: readonly Command[]): Command | null {
  const words = argv.filter((word) => !word.startsWith("-"));
  return commands.find(({ name }) => name.every((part, index) => words[index] === part)) ?? null;
}

function unknownFlag(typed: string, command: Command | null): SluiceError {
  const known = [...Object.keys(command?.options ?? {}), ...Object.keys(globalOptions), "help"];
  const nearest = suggest(typed.replace(/^-+/, ""), known);
  const owner = command === null ? "sluice" : commandLine(command);
  const question = nearest === null ? "" : `; did you mean --${nearest}?`;
  return new SluiceError("USAGE", `${owner} has no flag ${typed}${question}`, { hint: `Run: ${owner} --help` });
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
  const help = knowsNoun ? `sluice ${noun} --help` : "sluice --help";
  return new SluiceError("USAGE", `there is no command "${given}"${question}`, { hint: `Run: ${help}` });
}

/** The one command whose verb was written without its noun, e.g. `lint`; null when there is none, or several. */
function commandOfVerb(word: string, commands: readonly Command[]): string | null {
  const [only, ...more] = commands.filter(({ name }) => name[1] === word);
  return only === undefined || more.length > 0 ? null : only.name.join(" ");
}

/**
 * The error for a command line that yargs refused, in words that name what was given.
 * @param message  the message of yargs in English; only its form is used
 */
export function usageError(message: string, argv: readonly string[], commands: readonly Command[]): SluiceError {
  const command = namedCommand(argv, commands);
  const [, unknown] = /^Unknown (?:argument|command)s?: ([^,]+)/.exec(message) ?? [];
  if (unknown !== undefined) {
    const typed = argv
      .map((word) => word.split("=")[0] ?? "")
      .find((word) => /^-+/.test(word) && word.replace(/^-+/, "") === unknown);
    if (typed !== undefined) return unknownFlag(typed, command);
    if (command === null) return unknownCommand(leadingWords(argv), commands);
    return new SluiceError("USAGE", `${commandLine(command)} takes no further argument "${unknown}"`, {
      hint: `Run: ${commandLine(command)} --help`,
    });
  }
  const [, valueless] = /^Not enough arguments following: (.+)$/.exec(message) ?? [];
  const owner = command === null ? ["sluice", ...leadingWords(argv)].join(" ") : commandLine(command);
  const hint = `Run: ${owner} --help`;
  if (valueless !== undefined) return new SluiceError("USAGE", `--${valueless} needs a value`, { hint });
  if (command === null) return new SluiceError("USAGE", `${owner}: no command given`, { hint });
  const needed = Object.keys(command.positionals).map((name) => `<${name}>`);
  if (message.startsWith("Not enough non-option arguments")) {
    return new SluiceError("USAGE", `${owner} needs ${needed.join(" ")}`, { hint });
  }
  return new SluiceError("USAGE", message, { hint });
}
