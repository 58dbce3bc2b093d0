import { asCalled, type Caller, printed, toCaller } from "./caller.js";
import type { CommandSpec } from "./command-spec.js";
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { ShownSetting } from "./shown-settings.js";
import { createProgress } from "./progress.js";
import { projectFileName } from "../src/documents/choices.js";
import type { Invocation, Text } from "../src/base/invocation.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { workbenchIn } from "../stages/open-workbench.js";
import type { CliIo } from "./cli-io.js";

/** Everything that a command can use in addition to its options. */
export interface CommandContext extends WorkbenchContext, Pick<CliIo, "host" | "askSecret" | "ask"> {
  readonly settings: readonly ShownSetting[];
  readonly commands: readonly CommandSpec[];
  /** A text with its commands as the caller can run them. */
  readonly say: (text: Text) => string;
  /** Prints a note on stderr while the command runs; nothing with --json or --quiet. */
  readonly note: (text: Text) => void;
  /** A command of `sluice` for a next step; repeats -C and --workspace if the caller gave them. */
  readonly next: (...words: readonly string[]) => Invocation;
  readonly inProject: boolean;
  /** Converts a path to one relative to the caller's folder, which -C may have changed. */
  readonly here: (path: string) => string;
}

export interface GlobalValues extends Caller {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly actor: string | undefined;
  readonly vectors: string | undefined;
  readonly settings: readonly ShownSetting[];
}

export function createContext(world: CliIo, globals: GlobalValues, commands: readonly CommandSpec[]): CommandContext {
  const silent = globals.json || globals.quiet;
  const terminalStyle = world.isTerminal ? "line" : "milestones";
  const style = silent ? "off" : terminalStyle;
  const say = (text: Text): string => printed(toCaller(text, globals), world.env);
  return {
    ...workbenchIn({
      folder: globals.workspace,
      vectors: globals.vectors,
      actor: globals.actor,
      user: userOf(world),
      clock: world.clock,
      signal: world.signal,
      progress: createProgress({ style, write: world.stderr, clock: world.clock, columns: world.columns.stderr }),
      env: world.env,
    }),
    host: world.host,
    askSecret: world.askSecret,
    ask: world.ask,
    settings: globals.settings,
    commands,
    say,
    note: (text) => (silent ? undefined : world.stderr(`${say(text)}\n`)),
    next: (...args) => asCalled({ command: "sluice", args }, globals),
    inProject: existsSync(projectFileName),
    here: (path) => (globals.project === "." || isAbsolute(path) ? path : join(globals.project, path)),
  };
}

export function signNext({ inProject, next }: Pick<CommandContext, "inProject" | "next">): Invocation {
  return inProject ? next("run", "--release") : next("manifest", "create", "--producer", "NAME", "--key", "FILE");
}

function userOf({ env, user }: Pick<CliIo, "env" | "user">): string {
  return env["USER"] ?? env["LOGNAME"] ?? env["USERNAME"] ?? user ?? "unknown";
}
