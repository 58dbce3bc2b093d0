import { junitXml } from "../reports/junit.js";
import { replaceFile } from "../src/artifacts/write-new-file.js";
import { type CommandResult, commandResult, type Gate, type ResultParts } from "./result.js";
import { table } from "./table.js";

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
