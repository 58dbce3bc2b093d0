import type { Matrix } from "../../../src/inference/protocol.js";
import { assert, rejects, test } from "../../support/test.js";
import { linearModel, unaryModel } from "../../support/graphs.js";
import { loadGraph, runMatrix } from "../../support/inference.js";
import { column, doubling, withPool } from "../../support/pools.js";

test("two models in one pool are independent", () =>
  withPool({ workers: 2 }, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    const plusOne = await loadGraph(pool, linearModel({ columns: 1, weights: [1], bias: [1] }));
    const outputs = await Promise.all([
      runMatrix(twice, column(3)),
      runMatrix(plusOne, column(3)),
      runMatrix(twice, column(1, 2)),
    ]);
    assert.equal(
      outputs.map((output) => [...output.values]),
      [[6], [4], [2, 4]],
    );
  }));

test("bytes that are not a model are refused, and the pool continues", () =>
  withPool({ workers: 2 }, async (pool) => {
    await rejects(loadGraph(pool, Buffer.from("not a model")), "MODEL_INVALID");
    await rejects(loadGraph(pool, doubling.subarray(0, doubling.length - 10)), "MODEL_INVALID");
    await rejects(loadGraph(pool, unaryModel("NoSuchOperator")), "MODEL_INVALID");
    const twice = await loadGraph(pool, doubling);
    assert.equal([...(await runMatrix(twice, column(4))).values], [8]);
  }));

test("an output that is not finite fails its own call only", () =>
  withPool({}, async (pool) => {
    const log = await loadGraph(pool, unaryModel("Log"));
    const runs = await Promise.allSettled([
      runMatrix(log, column(1)),
      runMatrix(log, column(-1)),
      runMatrix(log, column(0)),
      runMatrix(log, column(1)),
    ]);
    assert.equal(
      runs.map((run) => run.status),
      ["fulfilled", "rejected", "rejected", "fulfilled"],
    );
    await rejects(runMatrix(log, column(-1)), "MODEL_RUN_FAILED");
  }));

test("a matrix of the wrong shape fails as a run", () =>
  withPool({}, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    await rejects(runMatrix(twice, { rows: 1, columns: 2, values: Float32Array.of(1, 2) }), "MODEL_RUN_FAILED");
    await rejects(runMatrix(twice, { rows: 3, columns: 1, values: Float32Array.of(1) }), "MODEL_RUN_FAILED");
    assert.equal([...(await runMatrix(twice, column(4))).values], [8]);
  }));

test("a result does not depend on what else is under way", async () => {
  const columns = 37;
  const wave = (seed: number, length: number) => Array.from({ length }, (_, i) => Math.sin(seed + i * 1.7));
  const model = linearModel({ columns, weights: wave(1, columns * 5), bias: wave(2, 5) });
  const inputs = Array.from({ length: 60 }, (_, seed) => {
    const rows = 1 + (seed % 7);
    return { rows, columns, values: Float32Array.from(wave(seed, rows * columns)) };
  });
  const alone = await withPool({ workers: 1 }, async (pool) => {
    const loaded = await loadGraph(pool, model);
    const outputs: Matrix[] = [];
    for (const input of inputs) outputs.push(await runMatrix(loaded, input));
    return outputs;
  });
  const together = await withPool({ workers: 2 }, async (pool) => {
    const loaded = await loadGraph(pool, model);
    return Promise.all(inputs.map((input) => runMatrix(loaded, input)));
  });
  for (const [index, output] of together.entries()) {
    assert.ok(Buffer.from(output.values.buffer).equals(Buffer.from(alone[index]?.values.buffer ?? new ArrayBuffer(0))));
  }
});
