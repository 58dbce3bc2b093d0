import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { within } from "../../../src/domain/run-scope.js";
import { InferencePool, type InferencePoolOptions } from "../../../src/inference/pool.js";
import type { Matrix } from "../../../src/inference/protocol.js";
import { linearModel, slowModel, unaryModel } from "../../support/graphs.js";
import { packageRoot } from "../../support/package-root.js";
import { rejects } from "../../support/rejects.js";
import { loadGraph, runMatrix } from "../../support/inference.js";

const test = suite("src/inference/pool");

const usual: InferencePoolOptions = { workers: 1, queueLimit: 64 };
const column = (...values: readonly number[]): Matrix => {
  return { rows: values.length, columns: 1, values: Float32Array.from(values) };
};
const doubling = linearModel({ columns: 1, weights: [2], bias: [0] });

async function withPool<T>(options: Partial<InferencePoolOptions>, body: (pool: InferencePool) => Promise<T>) {
  const pool = new InferencePool({ ...usual, ...options });
  try {
    return await body(pool);
  } finally {
    await pool.close();
  }
}

test("two models in one pool keep apart", () =>
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

test("bytes that are no model are refused, and the pool goes on", () =>
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

test("more runs than the queue may hold are refused at once, the others are answered", () =>
  withPool({ queueLimit: 2 }, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    const accepted = [runMatrix(twice, column(1)), runMatrix(twice, column(2))];
    await rejects(runMatrix(twice, column(3)), "BACKEND_OVERLOADED");
    assert.equal(
      (await Promise.all(accepted)).map((output) => [...output.values]),
      [[2], [4]],
    );
    assert.equal([...(await runMatrix(twice, column(3))).values], [6]);
  }));

test("a run past its deadline is answered without waiting for it, and the thread goes on", () =>
  withPool({}, async (pool) => {
    const size = 512;
    const scope = within(1, () => performance.now(), null);
    const slow = await loadGraph(pool, slowModel(size, 200));
    const input = { rows: 64, columns: size, values: new Float32Array(64 * size) };
    const outcomes = await Promise.allSettled([runMatrix(slow, input, scope), runMatrix(slow, input, scope)]);
    for (const outcome of outcomes) {
      assert.is(outcome.status, "rejected");
      if (outcome.status === "rejected") assert.is((outcome.reason as { code: string }).code, "DEADLINE_EXCEEDED");
    }
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

test("closing lets accepted runs finish, may be repeated, and refuses later work", async () => {
  const pool = new InferencePool(usual);
  const twice = await loadGraph(pool, doubling);
  const accepted = runMatrix(twice, column(5));
  await Promise.all([pool.close(), pool.close()]);
  assert.equal([...(await accepted).values], [10]);
  await rejects(runMatrix(twice, column(1)), "MODEL_RUN_FAILED");
  await rejects(loadGraph(pool, doubling), "MODEL_RUN_FAILED");
  await pool.close();
});

/** Runs a module in a process of its own, with the compiled inference folder as its first argument. */
function runProgram(folder: string, lines: readonly string[]) {
  const file = join(mkdtempSync(join(tmpdir(), "sluice-pool-")), "program.mjs");
  writeFileSync(file, lines.join("\n"));
  try {
    return spawnSync(process.execPath, [file, folder], { encoding: "utf8", timeout: 60_000 });
  } finally {
    rmSync(join(file, ".."), { recursive: true });
  }
}

const preamble = [
  "const [folder] = process.argv.slice(2);",
  "const { InferencePool } = await import(`${folder}/pool.js`);",
  "const pool = new InferencePool({ workers: 2, queueLimit: 8 });",
];

test("a process that closes its pool ends with exit code 0", () => {
  const { status, stdout, stderr } = runProgram(join(packageRoot, "dist/src/inference"), [
    ...preamble,
    `const bytes = Buffer.from("${doubling.toString("base64")}", "base64");`,
    "const model = await pool.load({ kind: 'graph', graph: { bytes, externalData: [] } });",
    "const scope = { remainingMs: () => Infinity, signal: null, alone: true };",
    "const matrix = { rows: 1, columns: 1, values: Float32Array.of(21) };",
    "const run = model.run({ kind: 'matrix', matrix }, scope);",
    "await pool.close();",
    "console.log((await run).matrix.values[0]);",
  ]);
  assert.is(stderr, "");
  assert.is(stdout.trim(), "42");
  assert.is(status, 0);
});

test("threads that cannot start fail every load, and closing still ends", () => {
  const copy = mkdtempSync(join(tmpdir(), "sluice-no-runtime-"));
  try {
    for (const folder of ["errors", "domain", "inference"]) {
      cpSync(join(packageRoot, "dist/src", folder), join(copy, folder), { recursive: true });
    }
    writeFileSync(join(copy, "package.json"), '{ "type": "module" }');
    const { status, stdout } = runProgram(join(copy, "inference"), [
      ...preamble,
      "const load = () => pool.load({ kind: 'graph', graph: { bytes: new Uint8Array(1), externalData: [] } }).then(() => 'loaded', (error) => error.code);",
      "console.log(await load());",
      "console.log(await load());",
      "await pool.close();",
      "console.log('closed');",
    ]);
    assert.equal(stdout.trim().split("\n"), ["MODEL_RUN_FAILED", "MODEL_RUN_FAILED", "closed"]);
    assert.is(status, 0);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test.run();
