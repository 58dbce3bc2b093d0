import type { OptionSet } from "../src/base/options.js";

/** An example in the help text: a command line that can be run as printed, and its purpose. */
export type Example = readonly [line: string, purpose: string];

export type CommandName = readonly [string] | readonly [noun: string, verb: string];

/** Description of a command, available without loading its implementation. */
export interface CommandSpec {
  readonly name: CommandName;
  readonly describe: string;
  /** Positional arguments in order; they have no environment variables. */
  readonly positionals: OptionSet;
  /** Options of the stage, by their names in code. */
  readonly options: OptionSet;
  /** Further options of the command alone: what it prints, and where. */
  readonly own?: OptionSet;
  readonly examples: readonly [Example, Example];
}
