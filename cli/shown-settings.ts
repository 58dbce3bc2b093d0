import { globalOptions } from "./global-options.js";
import { environmentTwin } from "./options.js";
import { suggest } from "../src/base/suggest.js";

/** Where the value of a setting comes from. */
export type Origin = "flag" | "environment" | "default";

/** A setting as `doctor` shows it. */
export interface ShownSetting {
  /** The flag, or a variable that belongs to none. */
  readonly name: string;
  /** null: there is none, or it is not shown. */
  readonly value: string | null;
  readonly origin: Origin;
  /** The commands that read it; empty for every command. */
  readonly commands: readonly string[];
  /** What is wrong with it; null when nothing is. */
  readonly problem: string | null;
}

/** A command, as far as its name and its flags go. */
export interface FlagReader {
  readonly name: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Settings whose values are never printed: they are or may hold secrets, or texts of requests. */
const notShown = /PASSPHRASE$|TEXT$|QUEUE$/;
const prefix = "SLUICE_";
/** Read by the program, but the twin of no flag. */
const withoutFlag = ["SLUICE_PASSPHRASE"];

/** The settings of every command, then what else the environment sets. */
export function shownSettings(
  globals: Readonly<Record<string, { readonly value: string | null; readonly origin: Origin }>>,
  env: Readonly<Record<string, string | undefined>>,
  commands: readonly FlagReader[],
): readonly ShownSetting[] {
  const common = Object.entries(globals).map(
    ([name, { value, origin }]): ShownSetting => ({ name: `--${name}`, value, origin, commands: [], problem: null }),
  );
  const globalTwins = new Set(Object.keys(globalOptions).map(environmentTwin));
  const others = Object.keys(env)
    .filter((name) => name.startsWith(prefix) && env[name] !== "" && !globalTwins.has(name))
    .sort();
  return [...common, ...others.map((name) => fromEnvironment(name, env[name] ?? "", commands))];
}

function fromEnvironment(variable: string, text: string, commands: readonly FlagReader[]): ShownSetting {
  const value = notShown.test(variable) ? null : text;
  const readers = commands.filter(({ options }) => Object.keys(options).some((o) => environmentTwin(o) === variable));
  const names = readers.map(({ name }) => name.join(" "));
  const known = readers.length > 0 || withoutFlag.includes(variable);
  const twins = [...new Set(commands.flatMap(({ options }) => Object.keys(options)).map(environmentTwin))];
  const nearest = known
    ? null
    : suggest(
        variable.slice(prefix.length),
        twins.map((twin) => twin.slice(prefix.length)),
      );
  const better = nearest === null ? "" : `; did you mean ${prefix}${nearest}?`;
  return {
    name: variable,
    value,
    origin: "environment",
    commands: names,
    problem: known ? null : `no command reads ${variable}${better}`,
  };
}
