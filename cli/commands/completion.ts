import type { WorkOf } from "../command.js";
import type { completionSpec } from "../specs/project.js";
import type { CommandSpec } from "../command-spec.js";
import { globalOptions } from "../global-options.js";
import { nounDescriptions } from "../nouns.js";
import { type Option, type OptionSet, shortFlags } from "../options.js";

export const completion: WorkOf<typeof completionSpec> = async ({ commands }, { shell }) => {
  const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](completionModel(commands));
  return {
    result: { shell, script },
    lines: script.trimEnd().split("\n"),
    verbatim: true,
  };
};

/** The completion of zsh: that of bash, through the loader that zsh has for it. */
function zshScript(model: CompletionModel): string {
  const [, ...lines] = bashScript(model).split("\n");
  return [
    "#compdef sluice",
    '# Completion in zsh. Install: in ~/.zshrc: eval "$(sluice completion zsh)"',
    "autoload -U +X compinit && compinit -u",
    "autoload -U +X bashcompinit && bashcompinit",
    ...lines,
  ].join("\n");
}

/**
 * The completion of bash: verbs, flags, the words that a flag takes, otherwise files. It is one function without a program
 * call, so that it is fast at every key press.
 */
function bashScript({ first, commands, valued }: CompletionModel): string {
  const verbs = groupVerbs(commands);
  return [
    '# Completion in bash. Install: in ~/.bashrc: eval "$(sluice completion bash)"',
    "_sluice() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" first="" second="" word skip=""',
    '  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do',
    '    if [ -n "$skip" ]; then skip=""; continue; fi',
    '    case "$word" in',
    `      ${valued.join("|")}) skip=yes; continue ;;`,
    "      -*) continue ;;",
    "    esac",
    '    if [ -z "$first" ]; then first="$word"; elif [ -z "$second" ]; then second="$word"; fi',
    "  done",
    "  COMPREPLY=()",
    '  local flags="" words=""',
    '  case "$first $second" in',
    ...commands.map(commandCase),
    "  esac",
    '  if [ -z "$first" ]; then',
    `    words="${first.map(({ word }) => word).join(" ")}"`,
    '  elif [ -z "$second" ]; then',
    '    case "$first" in',
    ...[...verbs].map(([noun, own]) => `      ${noun}) words="${own.join(" ")}" ;;`),
    "    esac",
    "  fi",
    '  case "$current" in',
    '    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")); return ;;',
    "  esac",
    '  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); return; fi',
    '  COMPREPLY=($(compgen -f -- "$current"))',
    "}",
    `complete -o filenames -F _${program} ${program}`,
    "",
  ].join("\n");
}

/** Verbs by their noun. */
function groupVerbs(commands: readonly CompletedCommand[]): ReadonlyMap<string, readonly string[]> {
  const verbs = new Map<string, readonly string[]>();
  for (const { words } of commands) {
    const [noun = "", verb] = words;
    if (verb !== undefined) verbs.set(noun, [...(verbs.get(noun) ?? []), verb]);
  }
  return verbs;
}

function commandCase({ words, flags, argument }: CompletedCommand): string {
  const pattern = words.length === 1 ? `"${words[0] ?? ""} "*` : `"${words.join(" ")}"`;
  const choices = flags.flatMap(({ name, value }) =>
    value.kind === "words" ? [`        --${name}) words="${value.words.join(" ")}" ;;`] : [],
  );
  return [
    `    ${pattern})`,
    `      flags="${flags.map(({ name }) => `--${name}`).join(" ")}"`,
    ...(argument.length === 0 ? [] : [`      words="${argument.join(" ")}"`]),
    ...(choices.length === 0 ? [] : ['      case "$before" in', ...choices, "      esac"]),
    "      ;;",
  ].join("\n");
}

/** The completion of fish, with a description of each word. */
function fishScript({ first, commands, valued }: CompletionModel): string {
  const nouns = new Set(commands.flatMap(({ words }) => (words.length === 2 ? words.slice(0, 1) : [])));
  return [
    "# Completion in fish. Install: this file as ~/.config/fish/completions/sluice.fish",
    "function __sluice_words",
    "  set -l skip 0",
    "  for word in (commandline --tokenize --cut-at-cursor)[2..]",
    "    if test $skip = 1",
    "      set skip 0",
    `    else if contains -- $word ${valued.join(" ")}`,
    "      set skip 1",
    "    else if not string match --quiet -- '-*' $word",
    "      echo $word",
    "    end",
    "  end",
    "end",
    "function __sluice_is",
    "  set -l typed (__sluice_words)",
    "  set -l size (count $argv)",
    '  test $size -le (count $typed); and test "$typed[1..$size]" = "$argv"',
    "end",
    "function __sluice_needs_word",
    "  set -l typed (__sluice_words)",
    '  test (count $typed) -eq (count $argv); and test "$typed" = "$argv"',
    "end",
    ...first.map(
      ({ word, describe }) => `complete -c ${program} -f -n __sluice_needs_word -a ${word} -d ${quoted(describe)}`,
    ),
    ...commands.flatMap((command) => commandLines(command, nouns)),
    "",
  ].join("\n");
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function commandLines(
  { words, describe, flags, argument }: CompletedCommand,
  nouns: ReadonlySet<string>,
): readonly string[] {
  const [noun = "", verb] = words;
  const verbLine =
    verb === undefined || !nouns.has(noun)
      ? []
      : [`complete -c ${program} -f -n '__sluice_needs_word ${noun}' -a ${verb} -d ${quoted(describe)}`];
  const at = `'__sluice_is ${words.join(" ")}'`;
  const argumentLine =
    argument.length === 0 ? [] : [`complete -c ${program} -f -n ${at} -a ${quoted(argument.join(" "))}`];
  return [...verbLine, ...argumentLine, ...flags.map((flag) => flagLine(at, flag))];
}

function flagLine(at: string, { name, describe, value }: CompletedFlag): string {
  const line = `complete -c ${program} -n ${at} -l ${name} -d ${quoted(describe)}`;
  switch (value.kind) {
    case "none":
      return line;
    case "file":
      return `${line} -r -F`;
    case "text":
      return `${line} -x`;
    case "words":
      return `${line} -x -a ${quoted(value.words.join(" "))}`;
  }
}

/** Name of the program that is completed. */
const program = "sluice";

/** What a flag takes: nothing, one of some words, a file, or a text that nobody can guess. */
type FlagValue =
  | { readonly kind: "none" | "file" | "text" }
  | { readonly kind: "words"; readonly words: readonly string[] };

interface CompletedFlag {
  readonly name: string;
  readonly describe: string;
  readonly value: FlagValue;
}

/** One command as a shell completes it. */
interface CompletedCommand {
  /** One or two words. */
  readonly words: readonly string[];
  readonly describe: string;
  readonly flags: readonly CompletedFlag[];
  /** Words that its first argument can be; empty when it takes files. */
  readonly argument: readonly string[];
}

/** A word that begins a command line, with what it does. */
interface CompletedWord {
  readonly word: string;
  readonly describe: string;
}

/** Everything that a completion knows. */
interface CompletionModel {
  readonly first: readonly CompletedWord[];
  readonly commands: readonly CompletedCommand[];
  /** Every flag that takes a value, with its dashes: the word after it is not a command. */
  readonly valued: readonly string[];
}

/** What the shells complete, from the commands themselves, so that it cannot differ from them. */
function completionModel(commands: readonly CommandSpec[]): CompletionModel {
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

const completedCommand = (command: CommandSpec): CompletedCommand => ({
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
