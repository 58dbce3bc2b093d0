// Runs the compiled tests in two runners that share the files, passes their output through, and returns their counts.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const runner = fileURLToPath(new URL("../dist/test/support/run.js", import.meta.url));
const c8 = fileURLToPath(new URL("../node_modules/c8/bin/c8.js", import.meta.url));
const rawCoverage = fileURLToPath(new URL("../coverage/tmp", import.meta.url));
const lineFloor = 85;
/**
 * Young generation size in megabytes: with Node's default, test runners and the programs that tests start spend a tenth
 * of their time on garbage collection.
 */
const nodeOptions = [process.env.NODE_OPTIONS ?? "", "--max-semi-space-size=64"].join(" ").trim();
/** With more runners, tests that start programs would wait for each other. */
const runners = Math.min(2, availableParallelism());

/**
 * Runs the tests of the files that match a filter, of the part "fast" or "slow", or all, and returns the counts. Only a
 * run of all tests compares their number with the expected one and can measure coverage, which slows the tests by half.
 */
export async function runTests({ filters = [], part, coverage = false } = {}) {
  const whole = filters.length === 0 && part === undefined;
  rmSync(rawCoverage, { recursive: true, force: true });
  const claims = mkdtempSync(join(tmpdir(), "sluice-test-claims-"));
  // Most tests embed the texts of the demonstration; this shared cache makes that happen once.
  const vectors = mkdtempSync(join(tmpdir(), "sluice-test-vectors-"));
  const env = {
    ...process.env,
    npm_command: undefined,
    NODE_OPTIONS: nodeOptions,
    SLUICE_VECTORS: vectors,
    SLUICE_TEST_CLAIMS: claims,
    SLUICE_TEST_PART: part,
    ...(coverage ? { NODE_V8_COVERAGE: rawCoverage } : {}),
  };
  const counts = await Promise.all(Array.from({ length: runners }, () => runShare(filters, env)));
  for (const folder of [claims, vectors]) rmSync(folder, { recursive: true, force: true });
  const sumOf = (name) => counts.reduce((sum, count) => sum + count[name], 0);
  const [passed, skipped] = [sumOf("passed"), sumOf("skipped")];
  let failed = sumOf("failed");
  if (whole && !(await isComplete(passed + failed + skipped))) failed += 1;
  if (coverage && !coverageHolds()) failed += 1;
  return { passed, failed, rest: skipped > 0 ? `, ${skipped} skipped` : "" };
}

/** Runs one runner's share of the test files. */
async function runShare(filters, env) {
  const child = spawn(process.execPath, [runner, ...filters], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lastLine = await passThroughButLastLine(child);
  const found = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(lastLine);
  if (found === null) {
    const end = child.signalCode ?? `exit code ${child.exitCode}`;
    process.stdout.write(`${lastLine}\nFAULT a runner of tests ended without its counts (${end})\n`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const [passed, failed, skipped] = found.slice(1).map((count) => Number(count ?? 0));
  return { passed, failed: child.exitCode !== 0 && failed === 0 ? 1 : failed, skipped };
}

/** Finding fewer tests than expected means that some were lost. */
async function isComplete(tests) {
  const { minimumTests } = await import("../dist/test/support/minimum-tests.js");
  if (tests >= minimumTests) return true;
  process.stdout.write(`FAULT ${tests} tests ran, at least ${minimumTests} were expected\n`);
  return false;
}

/** Prints the output of a child as it arrives, except for its last line, and resolves with that line. */
async function passThroughButLastLine(child) {
  let held = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text) => {
    held += text;
    const end = held.lastIndexOf("\n", held.length - 2) + 1;
    process.stdout.write(held.slice(0, end));
    held = held.slice(end);
  });
  await new Promise((resolve) => child.once("close", resolve));
  return held.trimEnd();
}

/** Line coverage of all compiled sources, including those that no test loads. */
function coverageHolds() {
  const files = ["--all", "--include=dist/**", "--exclude=dist/test/**", "--exclude=**/*.d.ts"];
  const args = ["report", "--temp-directory", rawCoverage, "--reporter=text-summary", ...files];
  const check = ["--check-coverage", `--lines=${lineFloor}`];
  return spawnSync(process.execPath, [c8, ...args, ...check], { cwd: root, stdio: "inherit" }).status === 0;
}
