import type { OptionSet } from "./options.js";

/** A line of the help text that can be run as printed, and what it does. */
export type Example = readonly [line: string, purpose: string];

/** One noun, or a noun and a verb. */
export type CommandName = readonly [string] | readonly [noun: string, verb: string];

/** What can be said about a command without running it. */
export interface CommandSpec {
  readonly name: CommandName;
  /** One sentence. */
  readonly describe: string;
  /** In the order in which they are given; they have no environment twin. */
  readonly positionals: OptionSet;
  readonly options: OptionSet;
  readonly examples: readonly [Example, Example];
}
