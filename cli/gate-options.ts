import { namedGates } from "../eval/gates/named-gates.js";
import { optional, repeated } from "./options.js";
import { id, path, text } from "./parsers.js";

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
