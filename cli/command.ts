import { byFlag, type OptionSet, readOptions, type ValuesOf } from "../src/base/options.js";
import type { CommandSpec } from "./command-spec.js";
import type { CommandContext } from "./context.js";
import { type CommandResult, commandResult, type ResultParts } from "./result.js";

/** Implementation of a command, called with the values for its stage, and with those of its own options. */
export type WorkOf<S extends CommandSpec> = (
  context: CommandContext,
  args: ValuesOf<S["positionals"]> & ValuesOf<S["options"]>,
  own: S extends { readonly own: infer O extends OptionSet } ? ValuesOf<O> : unknown,
) => Promise<ResultParts>;

/** The given texts of an option; empty if it was not given. */
export type Given = (name: string) => readonly string[];

/** A command with all its options by their flags. */
export interface Command extends Omit<CommandSpec, "own"> {
  /** Validates the values, then runs the command. @throws {SluiceError} USAGE, and the errors of the command */
  readonly execute: (
    context: CommandContext,
    given: Given,
    titleOf: (name: string) => string,
  ) => Promise<CommandResult>;
}

export const positionalTitle = (name: string): string => `<${name}>`;
export const optionTitle = (name: string): string => `--${name}`;

/**
 * Combines the description of a command with its implementation, which is loaded after the values of its options are
 * read.
 */
export function defineCommand<const S extends CommandSpec>(shape: S, load: () => Promise<WorkOf<S>>): Command {
  const { own = {}, ...spec } = shape;
  return {
    ...spec,
    options: byFlag({ ...shape.options, ...own }),
    execute: async (context, given, titleOf) => {
      const positionals = readOptions(shape.positionals, given, positionalTitle);
      const options = readOptions(shape.options, given, titleOf);
      const ofCommand = readOptions(own, given, titleOf);
      const work = await load();
      // The compiler cannot infer through the spread that these are the option sets of the shape.
      const args = { ...positionals, ...options } as Parameters<typeof work>[1];
      const parts = await work(context, args, ofCommand as Parameters<typeof work>[2]);
      return commandResult(shape.name, parts);
    },
  };
}

export function commandLine(command: Pick<Command, "name">): string {
  return ["sluice", ...command.name].join(" ");
}
