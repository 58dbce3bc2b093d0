import { globalOptions } from "./global-options.js";
import { environmentTwin } from "./options.js";
import { suggest } from "../src/base/suggest.js";

export type Origin = "flag" | "environment" | "default";

export interface ShownSetting {
  /** The flag, or a variable without a flag. */
  readonly name: string;
  /** null: no value, or not shown. */
  readonly value: string | null;
  readonly origin: Origin;
  /** The commands that read the setting; empty: all commands. */
  readonly commands: readonly string[];
  readonly problem: string | null;
}

export interface FlagReader {
  readonly name: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Settings whose values are never printed, because they may contain secrets or request texts. */
const notShown = /PASSPHRASE$|TEXT$|QUEUE$/;
const prefix = "SLUICE_";
/** Environment variables without a flag. */
const withoutFlag = ["SLUICE_PASSPHRASE"];

/** The settings of all commands, followed by other environment variables. */
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
