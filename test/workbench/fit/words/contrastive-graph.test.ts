import { suite } from "uvu";
import * as assert from "uvu/assert";
import { onnxModel } from "../../../../src/inference/onnx-graph.js";
import { contrastiveGraph } from "../../../../workbench/fit/words/contrastive-graph.js";
import { loadGraph, runMatrix } from "../../../support/inference.js";
import { withPool } from "../../../support/pools.js";

const test = suite("workbench/fit/words/contrastive-graph");

const width = 3;
const scale = 4;
const pairs = [0.6, 0.8, 0, 0.8, 0.6, 0, 0, 1, 0, 0, 0.6, 0.8, 1, 0, 0, 0, 0, 1];

/** Summed loss by definition. */
function lossOf(values: readonly number[]): number {
  const rows = values.length / (2 * width);
  const part = (row: number, side: number) => values.slice(row * 2 * width + side * width).slice(0, width);
  const score = (a: readonly number[], b: readonly number[]) =>
    scale * a.reduce((sum, x, k) => sum + x * (b[k] ?? 0), 0);
  let loss = 0;
  for (let i = 0; i < rows; i += 1) {
    for (const side of [0, 1]) {
      const scores = Array.from({ length: rows }, (_, j) => score(part(i, side), part(j, 1 - side)));
      loss -= 0.5 * ((scores[i] ?? 0) - Math.log(scores.reduce((sum, s) => sum + Math.exp(s), 0)));
    }
  }
  return loss;
}

test("loss and gradients agree with the definition and its differences", () =>
  withPool({}, async (pool) => {
    const model = await loadGraph(pool, onnxModel(contrastiveGraph(width, scale)));
    const matrix = { rows: 3, columns: 2 * width, values: Float32Array.from(pairs) };
    const { values } = await runMatrix(model, matrix);
    const columns = 2 * width + 1;
    const loss = [0, 1, 2].reduce((sum, row) => sum + (values[row * columns + 2 * width] ?? 0), 0);
    assert.ok(Math.abs(loss - lossOf(pairs)) < 1e-5, `${loss} against ${lossOf(pairs)}`);
    for (const at of pairs.keys()) {
      const moved = (by: number) => lossOf(pairs.map((value, index) => (index === at ? value + by : value)));
      const slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
      const found = values[Math.floor(at / (2 * width)) * columns + (at % (2 * width))] ?? Number.NaN;
      assert.ok(Math.abs(found - slope) < 1e-4, `value ${at}: ${found} against ${slope}`);
    }
  }));

test.run();
