import type { CommandShape } from "../command-shape.js";
import { globalOptions } from "../global-options.js";
import { nounDescriptions } from "../nouns.js";
import { type Option, type OptionSet, shortFlags } from "../options.js";

/** Name of the program that is completed. */
export const program = "sluice";

/** What a flag takes: nothing, one of some words, a file, or a text that nobody can guess. */
export type FlagValue =
  | { readonly kind: "none" | "file" | "text" }
  | { readonly kind: "words"; readonly words: readonly string[] };

export interface CompletedFlag {
  readonly name: string;
  readonly describe: string;
  readonly value: FlagValue;
}

/** One command as a shell completes it. */
export interface CompletedCommand {
  /** One or two words. */
  readonly words: readonly string[];
  readonly describe: string;
  readonly flags: readonly CompletedFlag[];
  /** Words that its first argument can be; empty when it takes files. */
  readonly argument: readonly string[];
}

/** A word that begins a command line, with what it does. */
export interface CompletedWord {
  readonly word: string;
  readonly describe: string;
}

/** Everything that a completion knows. */
export interface CompletionModel {
  readonly first: readonly CompletedWord[];
  readonly commands: readonly CompletedCommand[];
  /** Every flag that takes a value, with its dashes: the word after it is no command. */
  readonly valued: readonly string[];
}

/** What the shells complete, from the commands themselves, so that it cannot differ from them. */
export function completionModel(commands: readonly CommandShape[]): CompletionModel {
  const nouns = [...new Set(commands.map(({ name }) => name[0]))];
  const describe = (noun: string): string =>
    commands.find(({ name }) => name.length === 1 && name[0] === noun)?.describe ?? nounDescriptions[noun] ?? "";
  const completed = commands.map(completedCommand);
  const valued = completed.flatMap(({ flags }) => flags).filter(({ value }) => value.kind !== "none");
  const names = [...new Set(valued.map(({ name }) => name))];
  return {
    first: [
      ...nouns.map((word) => ({ word, describe: describe(word) })),
      { word: "help", describe: "Show the help of a command, or all commands" },
    ],
    commands: completed,
    valued: names.flatMap((name) => {
      const short = shortFlags[name];
      return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
    }),
  };
}

const completedCommand = (command: CommandShape): CompletedCommand => ({
  words: [...command.name],
  describe: command.describe,
  flags: [...flagsOf(command.options), ...flagsOf(globalOptions), help],
  argument: Object.values(command.positionals).slice(0, 1).flatMap(wordsOf),
});

const help: CompletedFlag = { name: "help", describe: "show this text", value: { kind: "none" } };

const flagsOf = (options: OptionSet): readonly CompletedFlag[] =>
  Object.entries(options).map(([name, option]) => ({ name, describe: option.describe, value: valueOf(option) }));

function valueOf(option: Option<unknown>): FlagValue {
  if (option.placeholder === null) return { kind: "none" };
  const words = wordsOf(option);
  if (words.length > 0) return { kind: "words", words };
  return { kind: /PATH|FILE|DIR/.test(option.placeholder) ? "file" : "text" };
}

/** The words of a choice, which help shows as `a|b|c` in lower case. */
const wordsOf = ({ placeholder }: Option<unknown>): readonly string[] =>
  placeholder !== null && /^[a-z0-9.:_-]+(\|[a-z0-9.:_-]+)+$/.test(placeholder) ? placeholder.split("|") : [];
