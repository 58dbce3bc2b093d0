import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { shared } from "./shared.js";

/** A document of ../shared/oracle: values computed with other libraries. */
export function oracle<T>(name: string): T {
  return JSON.parse(readFileSync(shared("oracle", name), "utf8")) as T;
}

/** Asserts |found - expected| / max(1e-3, |expected|) <= tolerance, the error measure of the oracles. */
export function near(found: number | null, expected: number, tolerance: number, what = "value"): void {
  const error = found === null ? Number.NaN : Math.abs(found - expected) / Math.max(1e-3, Math.abs(expected));
  assert.ok(error <= tolerance, `${what}: found ${found}, expected ${expected} within ${tolerance}`);
}
