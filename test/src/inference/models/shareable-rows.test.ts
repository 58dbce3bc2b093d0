import { suite } from "uvu";
import * as assert from "uvu/assert";
import { shareableRows } from "../../../../src/inference/models/shareable-rows.js";
import type { Matrix } from "../../../../src/inference/protocol.js";

const test = suite("inference/models/shareable-rows");

/** Every row times two, with `columns` results for each. */
const doubled =
  (columns: number) =>
  async ({ rows, values }: Matrix): Promise<Matrix> => ({
    rows,
    columns,
    values: Float32Array.from({ length: rows * columns }, (_, i) => 2 * (values[Math.floor(i / columns)] ?? 0)),
  });

test("rows that come out alike in every company share runs of up to 64 rows", async () => {
  assert.is(await shareableRows(doubled(1), 1), 64);
});

test("runs with a large output have fewer rows", async () => {
  assert.is(await shareableRows(doubled(2 ** 18), 1), 4);
  assert.is(await shareableRows(doubled(2 ** 21), 1), 1);
});

test("a row that one other row moves by its last bit shares no run", async () => {
  const run = async ({ rows, columns, values }: Matrix): Promise<Matrix> => ({
    rows,
    columns,
    values: values.map((value) => (rows === 7 ? value * (1 + 2 ** -23) : value)),
  });
  assert.is(await shareableRows(run, 4), 1);
});

test("a graph that refuses several rows shares no run", async () => {
  const run = async (input: Matrix): Promise<Matrix> => {
    if (input.rows > 1) throw new Error("one row only");
    return input;
  };
  assert.is(await shareableRows(run, 4), 1);
});

test.run();
