import { existsSync } from "node:fs";
import { join } from "node:path";
import type { uvu } from "uvu";
import { packageRoot } from "./package-root.js";

const directory = join(packageRoot, "..", "shared");
const skipped: string[] = [];

/** Path of a file of ../shared: real data, oracles and checkpoints that are never part of the project. */
export function shared(...parts: readonly string[]): string {
  return join(directory, ...parts);
}

/** Registers a test that needs ../shared; without it the runner prints a line that names the test. */
export function testWithShared<T>(test: uvu.Test<T>, name: string, body: uvu.Callback<T>): void {
  if (existsSync(directory)) test(name, body);
  else skipped.push(name);
}

export function skippedForShared(): readonly string[] {
  return skipped;
}
