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

/** The zsh completion: the bash completion through zsh's compatibility loader. */
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
 * The bash completion of verbs, flags, choices of a flag, and otherwise files. It is a single function that calls no
 * program, so that it is fast.
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

/** Groups verbs by noun. */
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

/** The fish completion, with a description of each word. */
function fishScript({ first, commands, valued }: CompletionModel): string {
  const nouns = new Set(commands.flatMap(({ words }) => (words.length === 2 ? words.slice(0, 1) : [])));
  return [
    "# Completion in fish. Install: save this file as ~/.config/fish/completions/sluice.fish",
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

/** Name of the completed program. */
const program = "sluice";

/** Value of a flag: none, a choice, a file, or any other text. */
type FlagValue =
  | { readonly kind: "none" | "file" | "text" }
  | { readonly kind: "words"; readonly words: readonly string[] };

interface CompletedFlag {
  readonly name: string;
  readonly describe: string;
  readonly value: FlagValue;
}

/** One command with its completions. */
interface CompletedCommand {
  /** One or two words. */
  readonly words: readonly string[];
  readonly describe: string;
  readonly flags: readonly CompletedFlag[];
  /** Possible words of its first argument; empty if the argument is a file. */
  readonly argument: readonly string[];
}

/** A first word of a command line, with its description. */
interface CompletedWord {
  readonly word: string;
  readonly describe: string;
}

/** Data for generating completions. */
interface CompletionModel {
  readonly first: readonly CompletedWord[];
  readonly commands: readonly CompletedCommand[];
  /** Every flag with a value, including its dashes. The word after it is not a command. */
  readonly valued: readonly string[];
}

/** Derives the completions from the commands, so that they always agree. */
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

/** The words of a choice, whose placeholder is `a|b|c` in lower case. */
const wordsOf = ({ placeholder }: Option<unknown>): readonly string[] =>
  placeholder !== null && /^[a-z0-9.:_-]+(\|[a-z0-9.:_-]+)+$/.test(placeholder) ? placeholder.split("|") : [];
