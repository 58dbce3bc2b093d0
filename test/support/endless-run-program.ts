/** Runs a model that never ends in a pool, says how it is given up, closes the pool and ends. */
import { unbounded } from "../../src/documents/run-scope.js";
import { toSluiceError } from "../../src/base/error.js";
import { threadsAreLeft } from "../../src/inference/left-threads.js";
import { InferencePool } from "../../src/inference/pool.js";
import { endlessModel } from "./graphs.js";
import { loadGraph, runMatrix } from "./inference.js";
import { column } from "./pools.js";

const pool = new InferencePool({ workers: 1, queueLimit: 8, stuckAfterMs: 100 });
try {
  await runMatrix(await loadGraph(pool, endlessModel()), column(1), unbounded);
} catch (error) {
  const { code, message } = toSluiceError(error);
  process.stdout.write(`${code}: ${message}\n`);
}
await pool.close();
process.stdout.write("closed\n", () => {
  if (threadsAreLeft()) process.kill(process.pid, "SIGKILL");
});
