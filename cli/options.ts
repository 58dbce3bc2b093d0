import { optional } from "../src/base/options.js";
import { path } from "../stages/options/kinds.js";

/** Short flags by option name. A letter has the same meaning in every command. */
export const shortFlags: Readonly<Record<string, string>> = { help: "h", project: "C", quiet: "q", workspace: "w" };

/** The environment variable of a flag, e.g. SLUICE_PASSPHRASE_FD for --passphrase-fd. */
export function environmentTwin(flagName: string): string {
  return `SLUICE_${flagName.toUpperCase().replaceAll("-", "_")}`;
}

/** `--junit`: writes the gates to a file for CI servers. */
export const junitOption = { junit: optional(path, "file to write the gate results to, as JUnit XML") } as const;
