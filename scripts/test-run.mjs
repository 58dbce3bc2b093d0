// Runs the compiled tests, lets their output through, and returns the counts of the last line.
import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const runner = fileURLToPath(new URL("../dist/test/support/run.js", import.meta.url));
const c8 = fileURLToPath(new URL("../node_modules/c8/bin/c8.js", import.meta.url));
const rawCoverage = fileURLToPath(new URL("../coverage/tmp", import.meta.url));
const lineFloor = 85;

/** Counts and exit status of a test run; a filtered run measures no coverage. */
export async function runTests(filters = []) {
  const measured = filters.length === 0;
  rmSync(rawCoverage, { recursive: true, force: true });
  const env = measured ? { ...process.env, NODE_V8_COVERAGE: rawCoverage } : process.env;
  const child = spawn(process.execPath, [runner, ...filters], { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  const lastLine = await passThroughButLastLine(child);
  const [, passed, failed, rest = ""] = /^(\d+) passed, (\d+) failed(.*)$/.exec(lastLine) ?? [null, 0, 1, lastLine];
  const counts = { passed: Number(passed), failed: Number(failed), rest };
  if (child.exitCode !== 0 && counts.failed === 0) counts.failed = 1;
  if (measured && !coverageHolds()) counts.failed += 1;
  return counts;
}

/** Prints the output of a child while it comes, keeps back its last line, and resolves with it at the end. */
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

/** Lines of all compiled sources, those included that no test loads. */
function coverageHolds() {
  const files = ["--all", "--include=dist/**", "--exclude=dist/test/**", "--exclude=**/*.d.ts"];
  const args = ["report", "--temp-directory", rawCoverage, "--reporter=text-summary", ...files];
  const check = ["--check-coverage", `--lines=${lineFloor}`];
  return spawnSync(process.execPath, [c8, ...args, ...check], { cwd: root, stdio: "inherit" }).status === 0;
}
