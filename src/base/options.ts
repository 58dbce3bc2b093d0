import { SluiceError } from "./error.js";

/** One kind of value: its name in help, and the strict parser of its text. */
export interface ValueKind<T> {
  readonly placeholder: string;
  /** @throws {SluiceError} USAGE  the text is not of this kind; `name` names the option in messages */
  readonly parse: (raw: string, name: string) => T;
}

function refuse(name: string, raw: string, expected: string): never {
  throw new SluiceError("USAGE", `${name}: found "${raw}", expected ${expected}`);
}

/**
 * Creates a kind of value. @param expected  description for messages @param read  returns undefined for an invalid text
 */
export function kind<T>(placeholder: string, expected: string, read: (raw: string) => T | undefined): ValueKind<T> {
  return { placeholder, parse: (raw, name) => read(raw) ?? refuse(name, raw, expected) };
}

/** Parses a whole number from 0 to a maximum; undefined for any other text. */
export function wholeNumber(raw: string, maximum: number): number | undefined {
  const value = /^\d{1,16}$/.test(raw) ? Number(raw) : Number.NaN;
  return value <= maximum ? value : undefined;
}

/** One option or positional argument, and how its value is read. */
export interface Option<T> {
  readonly describe: string;
  /** Placeholder of the value in help; null for a flag without a value. */
  readonly placeholder: string | null;
  readonly presence: "required" | "optional" | "repeated";
  /** Default shown in help. */
  readonly preset: string | null;
  /** @throws {SluiceError} USAGE */
  readonly read: (given: readonly string[], name: string) => T;
}

/** Options of a command by kebab-case name, without dashes. */
export type OptionSet = Readonly<Record<string, Option<unknown>>>;

type CamelName<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : S;

/** Values passed to a command: one per option, under its camelCase name. */
export type ValuesOf<S extends OptionSet> = {
  readonly [K in keyof S as K extends string ? CamelName<K> : never]: S[K] extends Option<infer T> ? T : never;
};

function single(given: readonly string[], name: string): string | undefined {
  if (given.length > 1) {
    throw new SluiceError("USAGE", `${name} was given ${given.length} times, expected once`, {
      hint: `Keep one ${name}.`,
    });
  }
  return given[0];
}

export function required<T>(kind: ValueKind<T>, describe: string): Option<T> {
  const read = (given: readonly string[], name: string): T => {
    const raw = single(given, name);
    if (raw !== undefined) return kind.parse(raw, name);
    throw new SluiceError("USAGE", `${name} is missing`, { hint: `Add ${name} ${kind.placeholder}.` });
  };
  return { describe, placeholder: kind.placeholder, presence: "required", preset: null, read };
}

export function optional<T>(kind: ValueKind<T>, describe: string): Option<T | undefined> {
  const read = (given: readonly string[], name: string): T | undefined => {
    const raw = single(given, name);
    return raw === undefined ? undefined : kind.parse(raw, name);
  };
  return { describe, placeholder: kind.placeholder, presence: "optional", preset: null, read };
}

/** A value with a default, which is written as on the command line. */
export function preset<T>(kind: ValueKind<T>, fallback: string, describe: string): Option<T> {
  const read = (given: readonly string[], name: string): T => kind.parse(single(given, name) ?? fallback, name);
  return { describe, placeholder: kind.placeholder, presence: "optional", preset: fallback, read };
}

/** A value that may be given several times; empty if not given. */
export function repeated<T>(kind: ValueKind<T>, describe: string): Option<readonly T[]> {
  const read = (given: readonly string[], name: string): readonly T[] => given.map((raw) => kind.parse(raw, name));
  return { describe, placeholder: kind.placeholder, presence: "repeated", preset: null, read };
}

const flagValues: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

/** A switch, off by default. */
export function flag(describe: string): Option<boolean> {
  const read = (given: readonly string[], name: string): boolean => {
    const raw = single(given, name) ?? "false";
    const value = flagValues[raw];
    if (value !== undefined) return value;
    throw new SluiceError("USAGE", `${name}: found "${raw}", expected true, false, 1 or 0`);
  };
  return { describe, placeholder: null, presence: "optional", preset: null, read };
}

export function camelName(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Reads every option of a set. `given` returns the texts of an option; empty if it was not given. */
export function readOptions<S extends OptionSet>(
  set: S,
  given: (name: string) => readonly string[],
  title: (name: string) => string,
): ValuesOf<S> {
  const entries = Object.entries(set).map(([name, option]) => [camelName(name), option.read(given(name), title(name))]);
  return Object.fromEntries(entries) as ValuesOf<S>;
}
