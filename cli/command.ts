import type { CommandSpec } from "./command-spec.js";
import type { CommandContext } from "./context.js";
import { readOptions, type ValuesOf } from "./options.js";
import { type CommandResult, commandResult, type ResultParts } from "./result.js";

/** What a command does with the values of its options, under their camelCase names. */
export type WorkOf<S extends CommandSpec> = (
  context: CommandContext,
  args: ValuesOf<S["positionals"]> & ValuesOf<S["options"]>,
) => Promise<ResultParts>;

/** The texts that were given to an option; empty when it is absent. */
export type Given = (name: string) => readonly string[];

/** A command as the frame sees it, with untyped values. */
export interface Command extends CommandSpec {
  /** Reads the values strictly, then runs. @throws {SluiceError} USAGE, and those of the command */
  readonly execute: (context: CommandContext, given: Given) => Promise<CommandResult>;
}

/** How messages call a positional argument. */
export const positionalTitle = (name: string): string => `<${name}>`;
/** How messages call an option. */
export const optionTitle = (name: string): string => `--${name}`;

/** Pairs the description of a command with its work, which is loaded once the values of its options are read. */
export function defineCommand<const S extends CommandSpec>(shape: S, load: () => Promise<WorkOf<S>>): Command {
  return {
    ...shape,
    execute: async (context, given) => {
      const positionals = readOptions(shape.positionals, given, positionalTitle);
      const options = readOptions(shape.options, given, optionTitle);
      const work = await load();
      // The two sets are those of the shape, which the compiler cannot see through the spread.
      const parts = await work(context, { ...positionals, ...options } as Parameters<typeof work>[1]);
      return commandResult(shape.name, parts);
    },
  };
}

/** `sluice noun verb`. */
export function commandLine(command: Pick<Command, "name">): string {
  return ["sluice", ...command.name].join(" ");
}
