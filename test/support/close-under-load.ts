/** Closing a pool while all of its threads are inside ONNX Runtime, in a separate process. */
import { spawn } from "node:child_process";
import { within } from "../../src/documents/run-scope.js";
import { InferencePool } from "../../src/inference/pool.js";
import { slowModel } from "./graphs.js";
import { loadGraph, runMatrix } from "./inference.js";
import type { Finished } from "./run-program.js";
import { turn } from "./pools.js";

const calls = 24;
const size = 256;

/**
 * Closes a pool of two threads with 24 runs accepted, some of them past their deadline; prints what became of them.
 * @public  called by name in the process below
 */
export async function closeUnderLoad(): Promise<void> {
  const pool = new InferencePool({ workers: 2, queueLimit: calls });
  const slow = await loadGraph(pool, slowModel(size, 100));
  const input = { rows: 128, columns: size, values: new Float32Array(128 * size) };
  const now = (): number => performance.now();
  const outcomes = Array.from({ length: calls }, (_, index) =>
    runMatrix(slow, input, within(index % 3 === 0 ? 2 : 600_000, { now }, null)).then(
      () => "answered",
      (error: { readonly code: string }) => error.code,
    ),
  );
  await turn();
  const { underWay } = pool.statistics();
  await pool.close();
  const settled = await Promise.all(outcomes);
  const count = (outcome: string): number => settled.filter((other) => other === outcome).length;
  process.stdout.write(
    `${JSON.stringify({ underWay, answered: count("answered"), expired: count("DEADLINE_EXCEEDED") })}\n`,
  );
}

/** Runs `closeUnderLoad` in a new process. */
export function closeUnderLoadInChild(): Promise<Finished> {
  const program = `import(${JSON.stringify(import.meta.url)}).then(({ closeUnderLoad }) => closeUnderLoad())`;
  const child = spawn(process.execPath, ["--eval", program], {
    env: { ...process.env, NODE_V8_COVERAGE: undefined },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, ...texts })));
}
