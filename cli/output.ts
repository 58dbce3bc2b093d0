import { hintOrRemedy, SluiceError } from "../src/base/error.js";
import type { CommandResult } from "./result.js";
import {
  type Colour,
  coloured,
  colourLine,
  type Styles,
  type TextStyle,
  foldCommand,
  foldLine,
} from "./terminal/terminal.js";
import { commandsOf } from "../src/base/invocation.js";
import { printed } from "./caller.js";
import type { CliIo } from "./cli-io.js";

const line = (text: string): string => `${text}\n`;

/** The JSON document of a finished command, with keys in a fixed order. */
function resultDocument(result: CommandResult, env: CliIo["env"]): string {
  const { schema, gates, next } = result;
  const warnings = result.warnings.map((warning) => printed(warning, env));
  return JSON.stringify({ schema, result: result.result, gates, warnings, next }, refuseNonFinite, 2);
}

function errorDocument(error: SluiceError, env: CliIo["env"]): string {
  const { code, message, details = null } = error;
  const hint = hintOrRemedy(error);
  const shown = { code, message, hint: printed(hint, env), commands: commandsOf(hint), details };
  return JSON.stringify({ schema: "error@1", error: shown }, null, 2);
}

export interface Output {
  readonly world: Pick<CliIo, "stdout" | "stderr" | "env">;
  readonly styles: Styles;
  readonly json: boolean;
}

/** Prints a result: text on stdout with warnings and next steps on stderr, or one JSON document on stdout. */
export function writeResult({ world, styles, json }: Output, result: CommandResult): void {
  if (json) {
    world.stdout(line(resultDocument(result, world.env)));
    return;
  }
  const { columns, colour } = styles.stdout;
  for (const raw of result.lines) {
    const text = terminalText(raw);
    const folded = columns === null || result.verbatim ? [text] : foldLine(text, columns);
    for (const part of folded) world.stdout(line(colour && !result.verbatim ? colourLine(part) : part));
  }
  for (const warning of result.warnings)
    note(world, styles.stderr, { word: "warning", colour: "yellow", text: printed(warning, world.env) });
  for (const next of result.next) writeNext(world, styles.stderr, printed([next], world.env));
}

/** Prints a failure: as text on stderr, or as one JSON document on stdout. */
export function writeError({ world, styles, json }: Output, error: SluiceError): void {
  if (json) {
    world.stdout(line(errorDocument(error, world.env)));
    return;
  }
  note(world, styles.stderr, { word: "error", colour: "red", text: `${error.code}: ${error.message}` });
  note(world, styles.stderr, { word: "hint", colour: "cyan", text: printed(hintOrRemedy(error), world.env) });
}

/** Characters that a terminal interprets instead of displaying, except tab, line feed and zero-width joiners. */
const hidden = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Makes untrusted text safe to display: it cannot move the cursor, or reorder or hide other text. */
export const terminalText = (text: string): string =>
  text.replace(hidden, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);

const wordWidth = 9;

interface Note {
  readonly word: string;
  readonly colour: Colour;
  readonly text: string;
}

/** Prints a note; its lines after the first are commands. */
function note(world: Output["world"], style: TextStyle, { word, colour, text }: Note): void {
  const [said = "", ...commands] = terminalText(text).split("\n");
  const whole = `${word.padEnd(wordWidth)}${said}`;
  const { columns } = style;
  const [first = "", ...folded] = columns === null ? [whole] : foldLine(whole, columns);
  const rest = [...folded, ...commands.flatMap((command) => commandParts(command, columns))];
  world.stderr(line(style.colour ? `${coloured(word, colour)}${first.slice(word.length)}` : first));
  for (const part of rest) world.stderr(line(part));
}

/** An indented command, folded with shell continuations so that it can be pasted. */
const commandParts = (command: string, columns: number | null): readonly string[] =>
  columns === null ? [`${" ".repeat(wordWidth)}${command}`] : foldCommand(command, columns, wordWidth);

function writeNext(world: Output["world"], style: TextStyle, next: string): void {
  const [first = "", ...rest] = commandParts(terminalText(next), style.columns);
  const word = style.colour ? coloured("next", "cyan") : "next";
  world.stderr(line(`${word}${first.slice("next".length)}`));
  for (const part of rest) world.stderr(line(part));
}

/** Refuses non-finite numbers, which JSON would silently convert to null. */
function refuseNonFinite(key: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new SluiceError("INTERNAL", `the result field "${key}" is not a finite number`);
}
