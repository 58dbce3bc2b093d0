import { SluiceError } from "../src/errors/error.js";
import type { CommandResult } from "./result.js";
import type { World } from "./world.js";

const line = (text: string): string => `${text}\n`;

/** The one document of a finished command. Keys are in this order. */
export function resultDocument(result: CommandResult): string {
  const { schema, gates, warnings, next } = result;
  return JSON.stringify({ schema, result: result.result, gates, warnings, next }, refuseNonFinite, 2);
}

/** The one document of a failed command. */
export function errorDocument(error: SluiceError): string {
  const { code, message, hint = null, details = null } = error;
  return JSON.stringify({ schema: "error@1", error: { code, message, hint, details } }, null, 2);
}

/** Prints a result: text on stdout with warnings and next steps on stderr, or one JSON document on stdout. */
export function writeResult(world: Pick<World, "stdout" | "stderr">, result: CommandResult, json: boolean): void {
  if (json) {
    world.stdout(line(resultDocument(result)));
    return;
  }
  for (const text of result.lines) world.stdout(line(text));
  for (const warning of result.warnings) world.stderr(line(`warning  ${warning}`));
  for (const next of result.next) world.stderr(line(`next     ${next}`));
}

/** Prints a failure: on stderr for a person, or one JSON document on stdout. */
export function writeError(world: Pick<World, "stdout" | "stderr">, error: SluiceError, json: boolean): void {
  if (json) {
    world.stdout(line(errorDocument(error)));
    return;
  }
  world.stderr(line(`error    ${error.code}: ${error.message}`));
  if (error.hint !== undefined) world.stderr(line(`hint     ${error.hint}`));
}

/** JSON would turn these into null without a word. */
function refuseNonFinite(key: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new SluiceError("INTERNAL", `the result field "${key}" is not a finite number`);
}
