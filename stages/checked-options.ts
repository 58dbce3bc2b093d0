import { suggest } from "../src/base/suggest.js";
import { SluiceError } from "../src/base/error.js";

/** Kinds that the value of an option may have; null only where null means something. */
type Kind = "string" | "number" | "boolean" | "list" | "object" | "function" | `${string}|${string}`;

/** Names of the options of a function, by kind. */
type OptionKinds = Readonly<Partial<Record<Kind, readonly string[]>>>;

type NamesIn<T> = T extends readonly (infer N)[] ? N : never;

/** Names every option of a type once, by the kind of its value; a missing name does not compile. */
export const optionsOf =
  <O>() =>
  <const T extends Readonly<Partial<Record<Kind, readonly (keyof O & string)[]>>>>(
    kinds: [Exclude<keyof O, NamesIn<T[keyof T]>>] extends [never] ? T : never,
  ): OptionKinds =>
    kinds;

const kindOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Number.isNaN(value)) return "NaN";
  return Array.isArray(value) ? "list" : typeof value;
};

/**
 * Refuses options that a function does not have, and values of another kind, so that a misspelt option is never taken
 * as its default.
 * @param where  the function, as messages name it
 * @throws {SluiceError} ARGUMENT_INVALID
 */
export function requireOptions(
  where: string,
  given: unknown,
  kinds: OptionKinds,
  required: readonly string[] = [],
): void {
  const known = new Map(Object.entries(kinds).flatMap(([kind, names = []]) => names.map((name) => [name, kind])));
  const refuse = (found: string, hint = `Options: ${[...known.keys()].join(", ")}.`): never => {
    throw new SluiceError("ARGUMENT_INVALID", `${where}: ${found}`, { hint });
  };
  if (kindOf(given) !== "object") return refuse(`the options are of kind ${kindOf(given)}, expected an object`);
  const values = new Map<string, unknown>(Object.entries(given ?? {}));
  for (const [name, value] of values) {
    const kind = known.get(name);
    if (kind === undefined) return refuse(`there is no option "${name}"`, nearestOf(name, [...known.keys()]));
    if (value !== undefined && !kind.split("|").includes(kindOf(value)))
      return refuse(`option "${name}" is of kind ${kindOf(value)}, expected ${kind}`, "Correct the value.");
  }
  const missing = required.find((name) => values.get(name) === undefined);
  if (missing !== undefined) return refuse(`option "${missing}" is missing`);
}

function nearestOf(name: string, known: readonly string[]): string | undefined {
  const nearest = known.find((one) => one.startsWith(name) || name.startsWith(one)) ?? suggest(name, known);
  return nearest === null ? undefined : `Did you mean "${nearest}"?`;
}
