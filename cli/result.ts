import type { ExitCode } from "./exit-codes.js";

/** A named bar that a result was held against. `not_shown`: the evidence is too small to tell. */
export interface Gate {
  readonly name: string;
  readonly verdict: "pass" | "fail" | "not_shown";
  /** The number, its interval and the bar, in words. */
  readonly message: string;
}

/** What a command hands back; it prints nothing itself. */
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

/** The parts of a result that most commands leave at their defaults. */
export type ResultParts = Pick<CommandResult, "schema" | "result" | "lines"> & Partial<CommandResult>;

/** A result with its defaults filled in: exit code 0, or 3 when a gate was not met. */
export function commandResult(parts: ResultParts): CommandResult {
  const gates = parts.gates ?? [];
  const exitCode = gates.every((gate) => gate.verdict === "pass") ? 0 : 3;
  return { warnings: [], next: [], verbatim: false, exitCode, ...parts, gates };
}
