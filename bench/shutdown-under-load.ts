/**
 * Checks that a process exits cleanly if it closes its inference pool while every thread is inside ONNX Runtime. Each
 * process accepts 24 runs on two threads, lets a third of them miss their deadline, closes the pool while both threads
 * are busy, and must exit with 0 and every call answered.
 *
 *   node dist/bench/shutdown-under-load.js [--times 50]
 */
import { parseArgs } from "node:util";
import { closeUnderLoadInChild } from "../test/support/close-under-load.js";

const { values } = parseArgs({ options: { times: { type: "string", default: "50" } } });
const times = Number(values.times);

let clean = 0;
for (let round = 1; round <= times; round += 1) {
  const { code, stdout, stderr } = await closeUnderLoadInChild();
  if (code === 0 && stderr === "") clean += 1;
  else process.stdout.write(`process ${round}: exit code ${code}\n${stderr}`);
  if (round === times) process.stdout.write(`last process: ${stdout}`);
}
process.stdout.write(`${clean} of ${times} processes ended cleanly\n`);
process.exitCode = clean === times ? 0 : 1;
