import type { CommandShape } from "./command-shape.js";
import type { CommandContext } from "./context.js";
import { type OptionSet, readOptions, type ValuesOf } from "./options.js";
import type { CommandResult } from "./result.js";

interface CommandSpec<P extends OptionSet, O extends OptionSet> extends CommandShape {
  readonly positionals: P;
  readonly options: O;
  readonly run: (context: CommandContext, args: ValuesOf<P> & ValuesOf<O>) => Promise<CommandResult>;
}

/** The texts that were given to an option; empty when it is absent. */
export type Given = (name: string) => readonly string[];

/** A command as the frame sees it: its values are not typed any more. */
export interface Command extends CommandShape {
  /** Reads the values strictly, then runs. @throws {SluiceError} USAGE, and those of the command */
  readonly execute: (context: CommandContext, given: Given) => Promise<CommandResult>;
}

/** How messages call a positional argument. */
export const positionalTitle = (name: string): string => `<${name}>`;
/** How messages call an option. */
export const optionTitle = (name: string): string => `--${name}`;

/** A command with typed values; `run` receives them under their camelCase names. */
export function defineCommand<const P extends OptionSet, const O extends OptionSet>(spec: CommandSpec<P, O>): Command {
  const { run, ...shape } = spec;
  return {
    ...shape,
    execute: (context, given) => {
      const positionals = readOptions(spec.positionals, given, positionalTitle);
      const options = readOptions(spec.options, given, optionTitle);
      return run(context, { ...positionals, ...options });
    },
  };
}

/** `sluice noun verb`. */
export function commandLine(command: Pick<Command, "name">): string {
  return ["sluice", ...command.name].join(" ");
}
