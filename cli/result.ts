import { junitXml } from "../reports/junit.js";
import { replaceFile } from "../src/base/files.js";
import type { CommandName } from "./command-spec.js";
import type { ExitCode } from "./exit-codes.js";
import { type Field, fields, table } from "./table.js";

/** A named bar that a result was held against. `not_shown`: the evidence is too small to tell. */
export interface Gate {
  readonly name: string;
  readonly verdict: "pass" | "fail" | "not_shown";
  /** The number, its interval and the bar, in words. */
  readonly message: string;
}

/** A finished command as it is printed. */
export interface CommandResult {
  /** Name and version of the form of `result`, e.g. "catalog-check@1". */
  readonly schema: string;
  /** JSON-safe, snake_case keys; printed with --json. */
  readonly result: unknown;
  /** The same for a person: lines for stdout. */
  readonly lines: readonly string[];
  readonly gates: readonly Gate[];
  readonly warnings: readonly string[];
  /** true: the lines are a document, and are written as they are at every terminal. */
  readonly verbatim: boolean;
  /** At most three commands that can be run as printed. */
  readonly next: readonly string[];
  readonly exitCode: ExitCode;
}

/** What a command returns; it prints nothing itself. */
export interface ResultParts extends Partial<Omit<CommandResult, "result">>, Pick<CommandResult, "result"> {
  /** Names and values, printed above the lines. */
  readonly fields?: readonly Field[];
  /** Prints the gates below the lines, and writes them as JUnit XML where a file is named. */
  readonly gateReport?: { readonly junit: string | undefined };
}

/**
 * A result with its defaults: the schema is the first version of the command's own, the exit code 0, or 3 when a gate
 * was not met.
 * @throws {SluiceError} WRITE_FAILED  the JUnit file
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
