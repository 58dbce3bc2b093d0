import { SluiceError } from "./error.js";
import { suggest } from "./suggest.js";

type TypeName = "string" | "number" | "boolean" | "list" | "object" | "function";
/** Type of a value, or several: "string|object". */
type ValueType = TypeName | `${TypeName}|${TypeName}`;

/** One kind of value: its name in help, the strict parser of its text, and the type of a parsed value. */
export interface ValueKind<T> {
  readonly placeholder: string;
  readonly type: ValueType;
  /** @throws {SluiceError} USAGE  the text is not of this kind; `name` names the option in messages */
  readonly parse: (raw: string, name: string) => T;
}

function refuse(name: string, raw: string, expected: string): never {
  throw new SluiceError("USAGE", `${name}: found "${raw}", expected ${expected}`);
}

/**
 * Creates a kind of value. @param expected  description for messages @param read  returns undefined for an invalid text
 */
type MakeKind = <T>(placeholder: string, expected: string, read: (raw: string) => T | undefined) => ValueKind<T>;

const kindOf =
  (type: TypeName): MakeKind =>
  (placeholder, expected, read) => ({
    placeholder,
    type,
    parse: (raw, name) => read(raw) ?? refuse(name, raw, expected),
  });

export const kind = kindOf("string");
export const numberKind = kindOf("number");
export const listKind = kindOf("list");
export const objectKind = kindOf("object");

/** Parses a whole number from 0 to a maximum; undefined for any other text. */
export function wholeNumber(raw: string, maximum: number): number | undefined {
  const value = /^\d{1,16}$/.test(raw) ? Number(raw) : Number.NaN;
  return value <= maximum ? value : undefined;
}

type Presence = "required" | "optional" | "repeated";

/** One option or positional argument of a command and of the function behind it. */
export interface Option<T, P extends Presence = Presence> {
  readonly describe: string;
  /** Placeholder of the value in help; null for a flag without a value. */
  readonly placeholder: string | null;
  readonly type: ValueType;
  readonly presence: P;
  /** Default shown in help. */
  readonly preset: string | null;
  /** The value, or the default if none was given. @throws {SluiceError} USAGE */
  readonly read: (given: readonly string[], name: string) => T;
}

/** Options by their name in code; a flag has the same name in kebab-case. */
export type OptionSet = Readonly<Record<string, Option<unknown>>>;

/** The values of all options, with defaults. */
export type ValuesOf<S extends OptionSet> = {
  readonly [K in keyof S]: S[K] extends Option<infer T> ? T : never;
};

/** What a caller gives: the required options, and any other. */
export type OptionsOf<S extends OptionSet> = {
  readonly [K in keyof S as S[K]["presence"] extends "required" ? K : never]: ValuesOf<S>[K];
} & {
  readonly [K in keyof S as S[K]["presence"] extends "required" ? never : K]?: ValuesOf<S>[K] | undefined;
};

function single(given: readonly string[], name: string): string | undefined {
  if (given.length > 1) {
    throw new SluiceError("USAGE", `${name} was given ${given.length} times, expected once`, {
      hint: `Keep one ${name}.`,
    });
  }
  return given[0];
}

export function required<T>(kind: ValueKind<T>, describe: string): Option<T, "required"> {
  const read = (given: readonly string[], name: string): T => {
    const raw = single(given, name);
    if (raw !== undefined) return kind.parse(raw, name);
    throw new SluiceError("USAGE", `${name} is missing`, { hint: `Add ${name} ${kind.placeholder}.` });
  };
  return { ...kind, describe, presence: "required", preset: null, read };
}

export function optional<T>(kind: ValueKind<T>, describe: string): Option<T | undefined, "optional"> {
  const read = (given: readonly string[], name: string): T | undefined => {
    const raw = single(given, name);
    return raw === undefined ? undefined : kind.parse(raw, name);
  };
  return { ...kind, describe, presence: "optional", preset: null, read };
}

/** A value with a default, which is written as on the command line. */
export function preset<T>(kind: ValueKind<T>, fallback: string, describe: string): Option<T, "optional"> {
  const read = (given: readonly string[], name: string): T => kind.parse(single(given, name) ?? fallback, name);
  return { ...kind, describe, presence: "optional", preset: fallback, read };
}

/** A value that may be given several times; empty if not given. */
export function repeated<T>(kind: ValueKind<T>, describe: string): Option<readonly T[], "repeated"> {
  const read = (given: readonly string[], name: string): readonly T[] => given.map((raw) => kind.parse(raw, name));
  return { ...kind, type: "list", describe, presence: "repeated", preset: null, read };
}

const flagValues: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

/** A switch, off by default. */
export function flag(describe: string): Option<boolean, "optional"> {
  const read = (given: readonly string[], name: string): boolean => {
    const raw = single(given, name) ?? "false";
    const value = flagValues[raw];
    if (value !== undefined) return value;
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected true, false, 1 or 0`);
  };
  return { describe, placeholder: null, type: "boolean", presence: "optional", preset: null, read };
}

/** An option of the library alone, for what no command line can give. */
export const argument = <T>(type: ValueType): Option<T | undefined, "optional"> => ({
  describe: "",
  placeholder: null,
  type,
  presence: "optional",
  preset: null,
  read: () => undefined,
});

/** An option that every caller of the library gives, and no command line. */
export const requiredArgument = <T>(type: ValueType): Option<T, "required"> =>
  // It has no default, so that it is never read.
  ({ ...argument<T>(type), presence: "required" }) as Option<T, "required">;

/** The flag of an option: `crossFit` is --cross-fit. */
export const flagName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The options by their flags. */
export const byFlag = (set: OptionSet): OptionSet =>
  Object.fromEntries(Object.entries(set).map(([name, option]) => [flagName(name), option]));

/** Reads every option of a set. `given` returns the texts of a flag; empty if it was not given. */
export function readOptions<S extends OptionSet>(
  set: S,
  given: (flag: string) => readonly string[],
  title: (flag: string) => string,
): ValuesOf<S> {
  const read = ([name, option]: [string, Option<unknown>]) =>
    [name, option.read(given(flagName(name)), title(flagName(name)))] as const;
  return Object.fromEntries(Object.entries(set).map(read)) as ValuesOf<S>;
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Number.isNaN(value)) return "NaN";
  return Array.isArray(value) ? "list" : typeof value;
};

/**
 * Fills the options of a function with their defaults. A misspelt option is refused, never taken as its default.
 * @param where  the function, as messages name it
 * @throws {SluiceError} ARGUMENT_INVALID  an unknown or missing name, or a value of another type
 */
export function resolveOptions<S extends OptionSet>(where: string, set: S, options: OptionsOf<S>): ValuesOf<S> {
  const names = Object.keys(set);
  const refuse = (found: string, hint = `Options: ${names.join(", ")}.`): never => {
    throw new SluiceError("ARGUMENT_INVALID", `${where}: ${found}`, { hint });
  };
  const given: unknown = options;
  if (typeOf(given) !== "object") return refuse(`the options are of kind ${typeOf(given)}, expected an object`);
  const values = new Map<string, unknown>(Object.entries(options));
  const unknown = [...values.keys()].find((name) => !Object.hasOwn(set, name));
  if (unknown !== undefined) return refuse(`there is no option "${unknown}"`, nearestOf(unknown, names));
  const filled = Object.entries(set).map(([name, { type, presence, read }]) => {
    const value = values.get(name);
    if (value === undefined)
      return presence === "required" ? refuse(`option "${name}" is missing`) : [name, read([], name)];
    if (type.split("|").includes(typeOf(value))) return [name, value];
    return refuse(`option "${name}" is of kind ${typeOf(value)}, expected ${type}`, "Correct the value.");
  });
  return Object.fromEntries(filled) as ValuesOf<S>;
}

function nearestOf(name: string, known: readonly string[]): string | undefined {
  const nearest = known.find((one) => one.startsWith(name) || name.startsWith(one)) ?? suggest(name, known);
  return nearest === null ? undefined : `Did you mean "${nearest}"?`;
}
