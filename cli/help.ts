import type { CommandSpec, Example } from "./command-spec.js";
import { exitCodeLines } from "./exit-codes.js";
import { foldCommand, foldLine } from "./terminal/fold.js";

/** What a help text depends on apart from the commands. */
export interface HelpSettings {
  readonly version: string;
  /** Characters in a line. */
  readonly columns: number;
}

/** The commands that somebody new needs, shown by `sluice --help`; `sluice help all` shows every one. */
export const firstCommands: readonly string[] = ["quickstart", "init", "run", "status", "route", "serve"];

const usualColumns = 100;
const fewestColumns = 60;
const mostColumns = 120;

/** Characters in a line of a help text: the terminal's width, within readable bounds. */
export const helpColumns = (columns: number | null): number =>
  Math.min(mostColumns, Math.max(fewestColumns, columns ?? usualColumns));

/** `sluice help [all | noun [verb]]` as the command line that yargs understands. */
export function withoutHelpWord(
  argv: readonly string[],
  commands: readonly CommandSpec[],
): { readonly argv: readonly string[]; readonly everything: boolean } {
  const [first, ...rest] = argv;
  if (first !== "help" || commands.some(({ name }) => name[0] === "help")) return { argv, everything: false };
  const everything = rest[0] === "all";
  return { argv: [...(everything ? rest.slice(1) : rest), "--help"], everything };
}

/** Below the list of commands. */
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

/** Below the verbs of a noun. */
export const nounEpilogue = (columns: number): string => folded(exitCodes, columns);

/** Below the options of a command. */
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
