import { namedGates } from "../eval/gates/parse-gate.js";
import { optional, repeated } from "./options.js";
import { id, path, text } from "./parsers.js";
import { type CommandResult, commandResult, type Gate, type ResultParts } from "./result.js";
import { table } from "./table.js";
import { junitXml } from "../reports/junit.js";
import { replaceFile } from "../src/artifacts/write-new-file.js";

/** `--junit`: gates as a file that CI servers read. */
export const junitOption = { junit: optional(path, "JUnit XML file of the gates, for a CI server") } as const;

/** Options of a command that holds a run against gates. */
export const gateOptions = {
  gate: repeated(
    text,
    `bar for the run, e.g. selective_risk.upper<=0.05, coverage>=0.4, ${Object.keys(namedGates).join(", ")}; may be repeated`,
  ),
  baseline: optional(id, "run that gates compare with, in which A is the same number"),
  ...junitOption,
} as const;

/**
 * A result with its gates: printed below the lines, and written as JUnit XML where a file is named.
 * @throws {SluiceError} WRITE_FAILED
 */
export async function gatedResult(
  parts: ResultParts & { readonly gates: readonly Gate[] },
  { suite, junit }: { readonly suite: string; readonly junit: string | undefined },
): Promise<CommandResult> {
  const { gates, lines } = parts;
  if (junit !== undefined) {
    await replaceFile(junit, Buffer.from(junitXml(suite, gates), "utf8"), 0o644);
  }
  const rows = gates.map(({ verdict, name, message }) => [`  ${verdict.replace("_", " ")}`, name, message]);
  return commandResult({ ...parts, lines: gates.length === 0 ? lines : [...lines, "", ...table(rows)] });
}
