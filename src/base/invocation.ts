/** A program and its arguments. A word in capitals stands for a value of the caller. */
export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
}

/** A text for a reader. The commands that it names are parts of their own, so that each caller can be shown its own. */
export type Text = string | readonly (string | Invocation)[];

/**
 * The command of a template such as command`sluice key show ${file}`.
 * @param values  each is one word, whatever it contains, or a list of words
 */
export function command(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | readonly string[])[]
): Invocation {
  const words = texts.flatMap((text, at) => [
    ...text.split(" ").filter((word) => word !== ""),
    ...[values[at] ?? []].flat().map(String),
  ]);
  const [program = "", ...args] = words;
  return { command: program, args };
}

/** A text whose values may be commands and texts, such as say`List the runs: ${command`sluice eval list`}`. */
export const say = (
  texts: TemplateStringsArray,
  ...values: readonly (number | Invocation | Text)[]
): Exclude<Text, string> =>
  texts
    .flatMap((text, at) => [text, values[at] ?? ""].flat())
    .map((part) => (typeof part === "number" ? `${part}` : part));

/** A word without a special sign. */
const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Quotes words as a command line for a POSIX shell. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

export const lineOf = ({ command, args }: Invocation): string => shellLine([command, ...args]);

/** The text with each command as `line` prints it. */
export const textOf = (text: Text, line = lineOf): string =>
  [text]
    .flat()
    .map((part) => (typeof part === "string" ? part : line(part)))
    .join("");

export const commandsOf = (text: Text): readonly Invocation[] =>
  [text].flat().filter((part) => typeof part !== "string");
