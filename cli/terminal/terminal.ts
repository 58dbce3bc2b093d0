import type { CliIo } from "../cli-io.js";
import { environmentTwin } from "../options.js";

/** Text style of a stream: width in columns (null: not a terminal), and whether to use colours. */
export interface TextStyle {
  readonly columns: number | null;
  readonly colour: boolean;
}

/** Styles of both output streams. */
export interface Styles {
  readonly stdout: TextStyle;
  readonly stderr: TextStyle;
}

/** Minimum width of a terminal for folding text. */
const fewestColumns = 40;

/** Determines the styles of the streams from the command line, the environment and the terminals. */
export function stylesOf(argv: readonly string[], { env, columns }: Pick<CliIo, "env" | "columns">): Styles {
  const styleOf = (own: number | null): TextStyle => ({
    columns: own === null ? null : Math.max(fewestColumns, own),
    colour: wantsColour(argv, env, own !== null),
  });
  return { stdout: styleOf(columns.stdout), stderr: styleOf(columns.stderr) };
}

/** Values of `--color`. */
export const colourModes = ["auto", "always", "never"] as const;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Whether to write colours: decided by `--color`, then FORCE_COLOR, then NO_COLOR, then whether the stream is a
 * terminal. Reads the raw command line, because failures are printed before it is validated.
 */
export function wantsColour(argv: readonly string[], env: Env, isTerminal: boolean): boolean {
  const mode = modeOf(argv) ?? env[environmentTwin("color")] ?? "auto";
  if (mode === "always" || mode === "never") return mode === "always";
  const [force, none] = [env["FORCE_COLOR"] ?? "", env["NO_COLOR"] ?? ""];
  if (force !== "") return force !== "0" && force !== "false";
  return none === "" && isTerminal && env["TERM"] !== "dumb";
}

function modeOf(argv: readonly string[]): string | undefined {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const last = words.findLastIndex((word) => word === "--color" || word.startsWith("--color="));
  if (last < 0) return undefined;
  const [, value] = /^--color=(.*)$/.exec(words[last] ?? "") ?? [];
  return value ?? words[last + 1];
}

const codes = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1 } as const;
export type Colour = keyof typeof codes;

export const coloured = (text: string, colour: Colour): string => `\u001b[${codes[colour]}m${text}\u001b[0m`;

/** Colours of verdicts and decisions that are the only content of a cell. */
const cellColours: Readonly<Record<string, Colour>> = {
  FAIL: "red",
  fail: "red",
  error: "red",
  warning: "yellow",
  "not shown": "yellow",
  pass: "green",
  certified: "green",
  ROUTE: "green",
  CLARIFY: "yellow",
};

const cell = new RegExp(`(?<=^| {2})(${Object.keys(cellColours).join("|")})(?=$| {2})`, "g");

/** Colours the verdicts in a line; the visible text does not change. */
export const colourLine = (line: string): string =>
  line.replace(cell, (word) => coloured(word, cellColours[word] ?? "bold"));

/** Maximum position of a gap between columns, as a share of the width, below which the rest of the line is folded. */
const farthestGap = 0.6;

/**
 * Folds a line at spaces into lines of at most `width` characters. Continuation lines are indented to the last column
 * of the line (which follows two or more spaces), or slightly more than the line itself. A word longer than a line is
 * cut; nothing is dropped.
 */
export function foldLine(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  const hang = " ".repeat(hangOf(line, width));
  const folded: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const least = folded.length === 0 ? (/^ */.exec(rest)?.[0].length ?? 0) : hang.length;
    const space = rest.lastIndexOf(" ", width);
    const end = space > least ? space : width;
    folded.push(rest.slice(0, end).trimEnd());
    const further = rest.slice(end).trimStart();
    rest =
      further === ""
        ? ""
        : further.length + hang.length > width && !further.slice(0, width - hang.length + 1).includes(" ")
          ? further
          : `${hang}${further}`;
  }
  return rest.trim() === "" ? folded : [...folded, rest];
}

function hangOf(line: string, width: number): number {
  const start = /^ */.exec(line)?.[0].length ?? 0;
  const gaps = [...line.matchAll(/\S {2,}(?=\S)/g)].map((gap) => gap.index + gap[0].length);
  const last = gaps.filter((end) => end <= width * farthestGap).at(-1);
  return last ?? Math.min(start + 4, Math.floor(width / 2));
}

/** Folds a command line; each line except the last ends with a backslash, so that a shell reads them as one. */
export function foldCommand(line: string, width: number, indent: number): readonly string[] {
  const pad = " ".repeat(indent);
  if (pad.length + line.length <= width) return [`${pad}${line}`];
  const folded: string[] = [];
  let current = pad;
  for (const word of line.match(/'[^']*'\S*|\S+/g) ?? []) {
    const next = current.trim() === "" ? `${current}${word}` : `${current} ${word}`;
    if (next.length + 2 > width && current.trim() !== "") {
      folded.push(`${current} \\`);
      current = `${pad}  ${word}`;
    } else current = next;
  }
  return [...folded, current];
}
