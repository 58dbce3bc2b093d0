import { optional, repeated } from "../src/base/options.js";
import { id, path, text } from "../stages/options/kinds.js";
import { namedGates } from "../src/documents/choices.js";

/** Short flags by option name. A letter has the same meaning in every command. */
export const shortFlags: Readonly<Record<string, string>> = { help: "h", project: "C", quiet: "q", workspace: "w" };

/** The environment variable of a flag, e.g. SLUICE_PASSPHRASE_FD for --passphrase-fd. */
export function environmentTwin(flagName: string): string {
  return `SLUICE_${flagName.toUpperCase().replaceAll("-", "_")}`;
}

/** `--junit`: writes the gates to a file for CI servers. */
export const junitOption = { junit: optional(path, "file to write the gate results to, as JUnit XML") } as const;

export const noteOption = {
  note: optional(text, "what the run is called in lists and comparisons: one line of at most 80 characters"),
} as const;

export const gateOptions = {
  gate: repeated(
    text,
    `requirement for the run, e.g. selective_risk.upper<=0.05, coverage>=0.4, ${Object.keys(namedGates).join(", ")}; may be repeated`,
  ),
  baseline: optional(id, "baseline run, whose value of the metric is A in gates such as coverage>=A-0.02"),
  ...junitOption,
} as const;
