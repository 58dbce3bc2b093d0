import { environmentTwin } from "../options.js";

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

/** Adds the escape codes of a colour to a text. */
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
