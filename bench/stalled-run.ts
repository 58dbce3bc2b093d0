/**
 * Measures how late callers are answered if a model run stalls. One thread is kept inside ONNX Runtime for about 10 s
 * while 100 callers with a deadline of 100 ms queue behind it, one every 50 ms. Prints by how much the responses missed
 * their deadlines, the readiness state, and how the thread recovered.
 *
 *   node dist/bench/stalled-run.js [--seconds 10]
 */
import { parseArgs } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { within } from "../src/documents/run-scope.js";
import { loadGraph } from "../test/support/inference.js";
import { double, doubling, loadStall, withPool } from "../test/support/pools.js";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "10" } } });
const deadlineMs = 100;
const callers = 100;
const now = (): number => performance.now();
const print = (line: string): boolean => process.stdout.write(`${line}\n`);

await withPool({ queueLimit: 512, stuckAfterMs: 1000 }, async (pool) => {
  const twice = await loadGraph(pool, doubling);
  const stall = await loadStall(pool, Number(values.seconds) * 1000);

  /** Time from the deadline of a call to its response, in milliseconds. */
  const lateness = async (run: Promise<unknown>): Promise<number> => {
    const started = now();
    await run.then(
      () => Promise.reject(new Error("answered during the stall")),
      () => undefined,
    );
    return now() - started - deadlineMs;
  };

  const started = now();
  const answers = [lateness(stall(within(deadlineMs, { now }, null)))];
  for (let caller = 1; caller < callers; caller += 1) {
    answers.push(lateness(double(twice, caller, within(deadlineMs, { now }, null))));
    await pause(50);
  }
  const sorted = (await Promise.all(answers)).sort((a, b) => a - b);
  const show = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
  print(`${callers} callers answered; past their deadline by ms: p50 ${show(0.5)}, p99 ${show(0.99)}, max ${show(1)}`);
  print(`readiness during the stall: ${pool.problems().join() || "in order"}`);

  const after = await double(twice, 21);
  print(`the stall took ${((now() - started) / 1000).toFixed(1)} s; the next run gave ${after}`);
  print(`readiness afterwards: ${pool.problems().join() || "in order"}`);
  print(JSON.stringify(pool.statistics()));
});
