import { namedGates } from "../src/documents/choices.js";
import { optional, repeated } from "./options.js";
import { id, path, text } from "./parsers.js";

/** `--junit`: writes the gates to a file for CI servers. */
export const junitOption = { junit: optional(path, "file to write the gate results to, as JUnit XML") } as const;

/** Options of commands that check a run against gates. */
export const gateOptions = {
  gate: repeated(
    text,
    `requirement for the run, e.g. selective_risk.upper<=0.05, coverage>=0.4, ${Object.keys(namedGates).join(", ")}; may be repeated`,
  ),
  baseline: optional(id, "baseline run; A in a gate is its value of the same metric"),
  ...junitOption,
} as const;
