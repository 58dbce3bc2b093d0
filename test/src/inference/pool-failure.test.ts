import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { plainGraph } from "../../../src/inference/onnx-graph.js";
import { InferencePool } from "../../../src/inference/pool.js";
import type { Matrix, ToWorker } from "../../../src/inference/protocol.js";
import { assert, rejects, test } from "../../support/test.js";
import { linearModel } from "../../support/graphs.js";
import { loadGraph, runMatrix } from "../../support/inference.js";
import { breakThread, double, doubling, turn, watchingThreads, withPool } from "../../support/pools.js";
import { runProgram } from "../../support/run-program.js";
import { bertTokenizer } from "../../support/tokenizer-files.js";
import { inside, lookupGraph, tableConstant, textsInput } from "../../support/transformers.js";
import { unbounded } from "../../../src/documents/run-scope.js";

const plusOne = linearModel({ columns: 1, weights: [1], bias: [1] });

const exitOf = (thread: Worker | undefined): Promise<void> =>
  new Promise((resolve) => thread?.once("exit", () => resolve()));

/** Runs until every thread holds every model again. */
async function untilReady(pool: InferencePool, workers: number): Promise<void> {
  while (pool.statistics().workersReady < workers) await turn();
}

test("an idle thread that exits is replaced, and its successor has every model under the same number", () =>
  watchingThreads((threads) =>
    withPool({}, async (pool) => {
      const [twice, next] = [await loadGraph(pool, doubling), await loadGraph(pool, plusOne)];
      await threads.created[0]?.terminate();
      assert.match(pool.problems().join(), /^inference thread 1 is loading its models$/);
      assert.equal([await double(twice, 4), await double(next, 4)], [8, 5]);
      assert.is(threads.created.length, 2);
      assert.is(pool.statistics().restarts, 1);
      assert.equal(pool.problems(), []);
    }),
  ));

test("a thread that fails in the middle of its message loses none of 64 requests", () =>
  watchingThreads((threads) =>
    withPool({ workers: 2 }, async (pool) => {
      const columns = 1024;
      const weights = Array.from({ length: columns * columns }, (_, at) => (at % (columns + 1) === 0 ? 2 : 0));
      const model = await loadGraph(
        pool,
        linearModel({ columns, weights, bias: Array.from({ length: columns }, () => 0) }),
      );
      const row = (seed: number): Matrix => {
        return { rows: 1, columns, values: Float32Array.from({ length: columns }, (_, index) => seed + index) };
      };
      const runs = Array.from({ length: 64 }, (_, seed) => runMatrix(model, row(seed)));
      await Promise.race(runs);
      const { underWay } = pool.statistics();
      assert.ok(underWay > 32, `${underWay} are under way`);
      breakThread(threads.created[0]);
      for (const [seed, output] of (await Promise.all(runs)).entries()) {
        assert.equal(
          output.values,
          row(seed).values.map((value) => 2 * value),
        );
      }
      const { finished, failed, restarts } = pool.statistics();
      assert.equal({ finished, failed, restarts }, { finished: 64, failed: 0, restarts: 1 });
      assert.ok(threads.messages.length > 2, "lost jobs were sent again");
    }),
  ));

const isPoison = (message: ToWorker): boolean =>
  message.kind === "run" && message.jobs.some(({ input }) => input.kind === "matrix" && input.matrix.values[0] === 666);

test("a job that crashes its thread is retried alone, without affecting other requests", () =>
  watchingThreads(
    () =>
      withPool({ workers: 2 }, async (pool) => {
        const twice = await loadGraph(pool, doubling);
        const values = [1, 2, 666, 3, 4, 5, 6, 7];
        const runs = await Promise.allSettled(values.map((value) => double(twice, value)));
        assert.equal(
          runs.map((run) => (run.status === "fulfilled" ? run.value : (run.reason as { code: string }).code)),
          [2, 4, "MODEL_RUN_FAILED", 6, 8, 10, 12, 14],
        );
        const { restarts, failed, finished } = pool.statistics();
        assert.equal({ restarts, failed, finished }, { restarts: 2, failed: 1, finished: 7 });
        await untilReady(pool, 2);
        assert.is(await double(twice, 8), 16);
      }),
    isPoison,
  ));

test("threads that fail on every message are abandoned, every call is answered, and readiness reports it", () =>
  watchingThreads(
    (threads) =>
      withPool({ workers: 2 }, async (pool) => {
        const twice = await loadGraph(pool, doubling);
        const runs = Array.from({ length: 20 }, (_, value) => double(twice, value));
        await Promise.all(runs.map((run) => rejects(run, "MODEL_RUN_FAILED")));
        assert.equal(pool.problems(), ["no inference thread is left"]);
        assert.is(threads.created.length, 10);
        const { restarts, failed, waiting, underWay, workersReady } = pool.statistics();
        assert.equal(
          { restarts, failed, waiting, underWay, workersReady },
          { restarts: 8, failed: 20, waiting: 0, underWay: 0, workersReady: 0 },
        );
        const error = await rejects(double(twice, 1), "MODEL_RUN_FAILED");
        assert.match(error.message, /no inference thread is left/);
        assert.match(String((error.cause as Error).message), /inference thread \d failed/);
        await rejects(loadGraph(pool, doubling), "MODEL_RUN_FAILED");
      }),
    ({ kind }) => kind === "run",
  ));

test("a model loaded while a thread is replaced is in every thread", () =>
  watchingThreads((threads) =>
    withPool({ workers: 2 }, async (pool) => {
      const twice = await loadGraph(pool, doubling);
      const exit = exitOf(threads.created[0]);
      breakThread(threads.created[0]);
      const before = loadGraph(pool, plusOne);
      await exit;
      const after = loadGraph(pool, linearModel({ columns: 1, weights: [-1], bias: [0] }));
      const models = [twice, await before, await after];
      assert.is(pool.statistics().workersReady, 2);
      for (let round = 0; round < 4; round += 1) {
        const runs = models.flatMap((model) => [double(model, 5), double(model, 5)]);
        assert.equal(await Promise.all(runs), [10, 10, 6, 6, -5, -5]);
      }
      assert.is(new Set(threads.messages.map(({ thread }) => thread)).size, 2);
    }),
  ));

test("a model that is refused while a thread is replaced is not tried again", () =>
  watchingThreads((threads) =>
    withPool({ workers: 2 }, async (pool) => {
      const twice = await loadGraph(pool, doubling);
      breakThread(threads.created[1]);
      await rejects(loadGraph(pool, Buffer.from("not a model")), "MODEL_INVALID");
      await threads.created[0]?.terminate();
      await untilReady(pool, 2);
      assert.is(await double(twice, 2), 4);
      assert.is(pool.statistics().restarts, 2);
      assert.is(threads.created.length, 4);
    }),
  ));

test("a thread that cannot load a model again is given up after a bounded number of tries", () =>
  watchingThreads((threads) =>
    withPool({}, async (pool) => {
      const bytes = new Uint8Array(new SharedArrayBuffer(doubling.length));
      bytes.set(doubling);
      const model = await pool.load(plainGraph(bytes));
      bytes.fill(0);
      breakThread(threads.created[0]);
      await rejects(double(model, 1), "MODEL_RUN_FAILED");
      assert.equal(pool.problems(), ["no inference thread is left"]);
      assert.is(threads.created.length, 5);
    }),
  ));

test("closing while a thread is replaced answers what was accepted", () =>
  watchingThreads((threads) =>
    withPool({}, async (pool) => {
      const twice = await loadGraph(pool, doubling);
      breakThread(threads.created[0]);
      const run = double(twice, 3);
      await turn();
      await pool.close();
      assert.is(await run, 6);
    }),
  ));

test("a model whose first run never ends is given up, and neither its load nor the end of the pool nor the process waits for it", async () => {
  const program = fileURLToPath(new URL("../../support/endless-run-program.js", import.meta.url));
  const { code, stdout } = await runProgram(program, []);
  assert.is(stdout, "MODEL_RUN_FAILED: a model gave no sign for 400 ms\nclosed\n");
  assert.is(code, null, "ended by a signal");
});

test("a tokenizer whose pattern never ends on a text is given up like an endless graph", async () => {
  const pool = new InferencePool({ workers: 1, queueLimit: 8, stuckAfterMs: 100 });
  const tokenizer = JSON.parse(bertTokenizer(["a"]).toString("utf8")) as object;
  const pre_tokenizer = { type: "Split", pattern: { Regex: "(a+)+$" }, behavior: "Isolated", invert: false };
  const table = tableConstant(Array.from({ length: 8 }, () => [1, 2]));
  const load = async (): Promise<unknown> => {
    const loaded = await pool.load({
      kind: "encoder",
      graph: inside(lookupGraph(table)),
      tokenizer: Buffer.from(JSON.stringify({ ...tokenizer, pre_tokenizer })),
      maxTokens: 16,
      output: "last_hidden_state",
      pooling: "mean",
      normalise: true,
    });
    return loaded.run(textsInput([`${"a".repeat(60)}!`]), unbounded);
  };
  const error = await rejects(load(), "MODEL_RUN_FAILED");
  assert.match(error.message, "a model gave no sign for 400 ms");
  await pool.close();
});
