import { environmentTwin } from "../options.js";

/** When colours are written. */
export const colourModes = ["auto", "always", "never"] as const;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Whether colours are written: `--color` decides, then FORCE_COLOR, then NO_COLOR, then whether a person reads at a
 * terminal. It is read from the words of the command line, because failures are written before they are valid.
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

/** Words of a terminal in a colour. */
export const coloured = (text: string, colour: Colour): string => `\u001b[${codes[colour]}m${text}\u001b[0m`;

/** Verdicts and decisions that stand alone in a column. */
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

/** A line of a result with its verdicts coloured; the visible text stays the same. */
export const colourLine = (line: string): string =>
  line.replace(cell, (word) => coloured(word, cellColours[word] ?? "bold"));
