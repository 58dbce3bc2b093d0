import { existsSync } from "node:fs";
import { join } from "node:path";
import type { uvu } from "uvu";
import { packageRoot } from "./package-root.js";
import type { Test } from "./registration.js";

/** A test that was left out because something it needs is absent on this machine. */
export interface SkippedTest {
  readonly name: string;
  /** What is absent, as the runner prints it. */
  readonly missing: string;
}

const directory = join(packageRoot, "..", "shared");
const skipped: SkippedTest[] = [];

/** Path of a file of ../shared: real data, oracles and checkpoints that are never part of the project. */
export function shared(...parts: readonly string[]): string {
  return join(directory, ...parts);
}

/** Registers a test that needs ../shared; without it the runner prints a line that names the test. */
export function testWithShared<T>(test: Test<T>, name: string, body: uvu.Callback<T>): void {
  if (existsSync(directory)) test(name, body);
  else skipTest(name, "../shared");
}

/** Leaves a test out; the runner prints its name and what is missing, and expects one test less. */
export function skipTest(name: string, missing: string): void {
  skipped.push({ name, missing });
}

export function skippedTests(): readonly SkippedTest[] {
  return skipped;
}

const closers: (() => Promise<void>)[] = [];

/** Closes something that the tests of this process share, after its last test. */
export function closeAtEnd(close: () => Promise<void>): void {
  closers.push(close);
}

/** What the runner calls after the last file. */
export async function closeShared(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}
