import type { CommandSpec, Example } from "./command-spec.js";
import { exitCodeLines } from "./result.js";
import { foldCommand, foldLine } from "./terminal/terminal.js";

export interface HelpSettings {
  readonly version: string;
  readonly columns: number;
}

/** Commands for new users, shown by `sluice --help`; `sluice help all` shows all commands. */
export const firstCommands: readonly string[] = ["quickstart", "init", "run", "status", "route", "serve"];

const usualColumns = 100;
const fewestColumns = 60;
const mostColumns = 120;

/** Characters per line of a help text: the width of the terminal within readable bounds. */
export const helpColumns = (columns: number | null): number =>
  Math.min(mostColumns, Math.max(fewestColumns, columns ?? usualColumns));

/** Converts `sluice help [all | noun [verb]]` to a command line for yargs. */
export function withoutHelpWord(
  argv: readonly string[],
  commands: readonly CommandSpec[],
): { readonly argv: readonly string[]; readonly everything: boolean } {
  const [first, ...rest] = argv;
  if (first !== "help" || commands.some(({ name }) => name[0] === "help")) return { argv, everything: false };
  const everything = rest[0] === "all";
  return { argv: [...(everything ? rest.slice(1) : rest), "--help"], everything };
}

/** Text below the list of commands. */
export function rootEpilogue(columns: number, everything: boolean): string {
  const more = everything
    ? ["Every noun and every command has --help: sluice catalog --help"]
    : [
        "These are the first commands to learn. For all commands: sluice help all",
        "Your own file, in three commands:",
        "  sluice init FILE --into DIR",
        "  sluice run -C DIR",
        "  sluice route -C DIR --text TEXT",
      ];
  return folded([...more, "", ...exitCodes], columns);
}

/** Text below the verbs of a noun. */
export const nounEpilogue = (columns: number): string => folded(exitCodes, columns);

/** Text below the options of a command. */
export function commandEpilogue(examples: readonly Example[], columns: number): string {
  const lines = examples.flatMap(([line, purpose]) => [
    ...foldCommand(line, columns, 2),
    ...foldLine(`      ${purpose}`, columns),
  ]);
  return ["Examples:", ...lines, "", folded(exitCodes, columns)].join("\n");
}

const exitCodes: readonly string[] = ["Exit codes:", ...exitCodeLines()];

const folded = (lines: readonly string[], columns: number): string =>
  lines.flatMap((line) => foldLine(line, columns)).join("\n");
