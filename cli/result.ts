import { junitXml } from "../reports/junit.js";
import { replaceFile } from "../src/base/files.js";
import type { CommandName } from "./command-spec.js";
import type { Invocation, Text } from "../src/base/invocation.js";
import { type Field, fields, table } from "./table.js";

/** A named condition that a result was checked against. `not_shown`: there is too little evidence. */
export interface Gate {
  readonly name: string;
  readonly verdict: "pass" | "fail" | "not_shown";
  /** Sentence with the number, its interval and the bar. */
  readonly message: string;
}

export interface CommandResult {
  /** Name and version of the schema of `result`, e.g. "catalog-check@1". */
  readonly schema: string;
  /** JSON-safe result with snake_case keys; printed with --json. */
  readonly result: unknown;
  readonly lines: readonly string[];
  readonly gates: readonly Gate[];
  readonly warnings: readonly Text[];
  /** Whether the lines are a document, which is written without folding or colours. */
  readonly verbatim: boolean;
  /** At most three. */
  readonly next: readonly Invocation[];
  readonly exitCode: ExitCode;
}

/** Return value of a command, which prints nothing itself. */
export interface ResultParts extends Partial<Omit<CommandResult, "result">>, Pick<CommandResult, "result"> {
  /** Names and values, printed above the lines. */
  readonly fields?: readonly Field[];
  /** Prints the gates below the lines; also writes them as JUnit XML if a file is given. */
  readonly gateReport?: { readonly junit: string | undefined };
}

/**
 * Completes a result with defaults: version 1 of the command's own schema, and exit code 0, or 3 if a gate was not met.
 * @throws {SluiceError} WRITE_FAILED  the JUnit file cannot be written
 */
export async function commandResult(name: CommandName, parts: ResultParts): Promise<CommandResult> {
  const { fields: pairs = [], lines = [], gates = [], gateReport, ...rest } = parts;
  const exitCode = gates.every((gate) => gate.verdict === "pass") ? 0 : 3;
  if (gateReport?.junit !== undefined) {
    const report = junitXml(["sluice", ...name].join(" "), gates);
    await replaceFile(gateReport.junit, Buffer.from(report, "utf8"), 0o644);
  }
  const rows = gates.map(({ verdict, name: gate, message }) => [`  ${verdict.replace("_", " ")}`, gate, message]);
  const gateLines = gateReport === undefined || gates.length === 0 ? [] : ["", ...table(rows)];
  const shown = [...fields(pairs), ...lines, ...gateLines];
  return {
    schema: `${name.join("-")}@1`,
    warnings: [],
    next: [],
    verbatim: false,
    exitCode,
    ...rest,
    gates,
    lines: shown,
  };
}

/** Every exit code of the command line and its meaning; printed at the end of each help text. */
export const exitCodes = {
  0: "success, every gate passed",
  1: "unexpected failure (a bug in Sluice, or an I/O error)",
  2: "usage or configuration error",
  3: "finished, but a gate failed",
  4: "signature, identity or integrity check failed",
  5: "too many requests failed",
  130: "interrupted by Ctrl-C; finished work is saved",
  143: "interrupted by SIGTERM; finished work is saved",
} as const;
export type ExitCode = keyof typeof exitCodes;

/** The exit codes as lines of a help text, in ascending order. */
export function exitCodeLines(): readonly string[] {
  return Object.entries(exitCodes).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`);
}
