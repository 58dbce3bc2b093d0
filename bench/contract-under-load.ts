/**
 * Checks that the tables of the specification hold on a busy machine. Repeatedly runs test/serve/contract, which sends
 * requests to real servers over TCP in both modes, while other processes keep the cores busy. Prints failures.
 *
 *   node dist/bench/contract-under-load.js [--times 20] [--busy 8]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { packageRoot } from "../test/support/package-root.js";
import { runProgram } from "../test/support/run-program.js";

const { values } = parseArgs({
  options: { times: { type: "string", default: "20" }, busy: { type: "string", default: "8" } },
});
const times = Number(values.times);
const runner = join(packageRoot, "dist", "test", "support", "run.js");

/** Program that keeps a core busy until its parent ends. */
const busyWork = `
const parent = process.ppid;
function work() {
  const end = performance.now() + 100;
  while (performance.now() < end);
  if (process.ppid === parent) setImmediate(work);
}
work();`;

const startBusy = (): ChildProcess => spawn(process.execPath, ["--eval", busyWork], { stdio: "ignore" });

const withoutEmptyLines = (printed: string): string =>
  printed
    .split("\n")
    .filter((line) => !/^\s*$/.test(line))
    .join("\n");

const busy = Array.from({ length: Number(values.busy) }, startBusy);
let held = 0;
try {
  for (let round = 1; round <= times; round += 1) {
    const begin = performance.now();
    const { code, stdout, stderr } = await runProgram(runner, ["serve/contract.test.js"]);
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    if (code === 0) held += 1;
    process.stdout.write(`run ${round}: ${code === 0 ? "held" : `exit code ${code}`}, ${seconds} s\n`);
    if (code !== 0) process.stdout.write(`${withoutEmptyLines(stdout + stderr)}\n`);
  }
} finally {
  for (const child of busy) child.kill();
}
process.stdout.write(`${held} of ${times} runs held\n`);
process.exitCode = held === times ? 0 : 1;
