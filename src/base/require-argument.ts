import { SluiceError } from "./error.js";

/** Type of a value, for messages; never the value itself. */
export function typeInWords(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a promise";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Whether a value is an object but not an array, so that its members can be read. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function hasMethods(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === "function");
}

/**
 * Refuses an argument of the wrong type, which only callers without type checking can pass.
 * @param what  function and argument, as written by the caller
 * @throws {SluiceError} ARGUMENT_INVALID
 */
export function requireArgument(holds: boolean, what: string, expected: string, found: unknown): void {
  if (holds) return;
  const hint = found instanceof Promise ? "Await the promise first." : `Pass ${expected}.`;
  throw new SluiceError("ARGUMENT_INVALID", `${what} is ${typeInWords(found)}, expected ${expected}`, { hint });
}
