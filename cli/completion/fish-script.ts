import { type CompletedCommand, type CompletedFlag, type CompletionModel, program } from "./completion-model.js";

/** The completion of fish, with a description of each word. */
export function fishScript({ first, commands, valued }: CompletionModel): string {
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
