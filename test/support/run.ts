/**
 * Guarded runner for uvu 0.5.6: imports one test file at a time and runs what it registered (registration.ts). uvu exits
 * 0 when a file leaves `.only` or `.skip`, has no tests, registers tests too late, or when a `before` hook throws; here
 * each of those is a failure, and so is a test that exits the process, never ends, or belongs to a file that takes more
 * than twelve minutes.
 *
 * usage: node dist/test/support/run.js [path filter...]   (whole tree without a filter)
 * SLUICE_TEST_PART=fast or slow runs that part of the tree, as slow-tests.ts divides it.
 * Several runners share the files when SLUICE_TEST_CLAIMS names one empty folder for all of them; who started them
 * then checks the number of tests.
 */
import { writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "uvu/parse";
import { minimumTests } from "./minimum-tests.js";
import { closeShared, skippedTests } from "./shared.js";
import { isSlow } from "./slow-tests.js";

type SuiteRun = () => Promise<readonly [errors: string | true, ran: number, skipped: number, total: number]>;
interface UvuGlobals {
  UVU_DEFER?: number;
  UVU_INDEX?: number;
  UVU_QUEUE?: SuiteRun[][];
}

const uvu = globalThis as UvuGlobals;
const root = process.env["SLUICE_TEST_ROOT"] ?? resolve(import.meta.dirname, "..");
const claims = process.env["SLUICE_TEST_CLAIMS"];
const part = process.env["SLUICE_TEST_PART"];
const filters = process.argv.slice(2);
/** A file that takes longer hangs: the run ends with its name while the time of CI is not yet used up. */
const fileLimitMinutes = 12;
const faults: string[] = [];
const seconds = new Map<string, number>();
let passed = 0;
let failed = 0;
let unfinished: string | undefined;

/** false: another runner has taken the file. */
function claim(index: number): boolean {
  if (claims === undefined) return true;
  try {
    writeFileSync(join(claims, String(index)), "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

async function runSuite(run: SuiteRun, name: string, mayBeEmpty: () => boolean): Promise<void> {
  const outcome = await run().catch((error: unknown) => String(error));
  if (typeof outcome === "string") {
    faults.push(`${name}: a hook failed: ${outcome}`);
    return;
  }
  const [errors, ran, skipped, total] = outcome;
  passed += ran;
  failed += total - ran;
  if (errors !== true) process.stdout.write(`\n${errors}\n`);
  if (total === 0 && !mayBeEmpty()) faults.push(`${name}: a suite has no tests`);
  if (skipped > 0) faults.push(`${name}: .only or .skip is left in`);
  if (errors === true && ran !== total) faults.push(`${name}: a hook failed, ${ran} of ${total} tests ran`);
}

async function runFile(file: string, name: string, index: number): Promise<void> {
  const queue: SuiteRun[] = [];
  (uvu.UVU_QUEUE ??= [])[index] = queue;
  uvu.UVU_INDEX = index;
  const skippedBefore = skippedTests().length;
  try {
    await register(name.replace(/\.test\.js$/, ""), () => import(pathToFileURL(file).href));
  } catch (error) {
    faults.push(`${name}: import failed: ${error instanceof Error ? error.stack : String(error)}`);
    return;
  }
  const mayBeEmpty = (): boolean => skippedTests().length > skippedBefore;
  if (queue.length === 0 && !mayBeEmpty()) faults.push(`${name}: no test was registered`);
  process.stdout.write(`${name} `);
  for (const run of queue) await runSuite(run, name, mayBeEmpty);
}

/** Files that took 20 seconds or more, the slowest first: where a faster run has to begin. */
function slowest(): readonly (readonly [name: string, spent: number])[] {
  return [...seconds].filter(([, spent]) => spent >= 20).toSorted(([, a], [, b]) => b - a);
}

/** The verdict, even when a test ends the process or waits forever: an unfinished run is a failed run. */
function reportAtExit(): void {
  const skipped = skippedTests();
  const expected = minimumTests - skipped.length;
  const wholeTree = filters.length === 0 && part === undefined && process.env["SLUICE_TEST_ROOT"] === undefined;
  const whole = wholeTree && claims === undefined;
  if (unfinished !== undefined) faults.push(`${unfinished}: the run ended here, before it was finished`);
  else if (whole && passed + failed < expected) {
    faults.push(`${passed + failed} tests ran, at least ${expected} were expected`);
  }
  for (const { name, missing } of skipped) process.stdout.write(`skipped, ${missing} is absent: ${name}\n`);
  for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`);
  for (const [name, spent] of slowest()) process.stdout.write(`slow: ${spent.toFixed(0)} s ${name}\n`);
  const bad = failed + faults.length;
  const skips = skipped.length > 0 ? `, ${skipped.length} skipped` : "";
  process.stdout.write(`${passed} passed, ${bad} failed${skips}\n`);
  process.exitCode = bad > 0 ? 1 : 0;
}

/** By a signal, because Node waits for threads that never end before it exits. */
function endNow(): void {
  reportAtExit();
  process.kill(process.pid, "SIGKILL");
}

process.on("exit", reportAtExit);
// uvu reads this when it is imported; otherwise it runs suites by itself.
uvu.UVU_DEFER = 1;
const { register } = await import("./registration.js");
const { suites } = await parse(root, "\\.test\\.js$");
const inPart = (name: string): boolean => part === undefined || (part === "slow") === isSlow(name);
// Files that take longest come first, so that runners end at about the same time.
const rank = (name: string): number => (isSlow(name) ? 0 : name.startsWith("cli/") ? 1 : 2);
const chosen = suites
  .filter(({ name }) => inPart(name) && (filters.length === 0 || filters.some((filter) => name.includes(filter))))
  .sort((a, b) => rank(a.name) - rank(b.name));
// Only what the fast tests run counts: each of the many programs that slow tests start would write its own coverage.
const coverage = process.env["NODE_V8_COVERAGE"];
if (chosen.length === 0) faults.push(`no test file matches below ${relative(process.cwd(), root) || "."}`);
for (const [index, { file, name }] of chosen.entries()) {
  if (!claim(index)) continue;
  unfinished = name;
  if (isSlow(name)) delete process.env["NODE_V8_COVERAGE"];
  else if (coverage !== undefined) process.env["NODE_V8_COVERAGE"] = coverage;
  const begin = performance.now();
  const limit = setTimeout(endNow, fileLimitMinutes * 60_000).unref();
  await runFile(file, name, index);
  clearTimeout(limit);
  seconds.set(name, (performance.now() - begin) / 1000);
}
unfinished = undefined;
await closeShared();
