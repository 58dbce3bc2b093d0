import { suite } from "uvu";
import * as assert from "uvu/assert";
import { InferencePool } from "../../../../src/inference/pool.js";
import { onnxModel } from "../../../../src/inference/onnx-graph.js";
import { seededRandom } from "../../../../src/stats/seeded-random.js";
import { Adam } from "../../../../workbench/fit/linalg/adam.js";
import { PairNetwork } from "../../../../workbench/fit/verification/pair-network.js";
import { loadGraph, runMatrix } from "../../../support/inference.js";

const test = suite("workbench/fit/verification/pair-network");

const shape = { features: 4, hidden: 3, classes: 3 };
const network = (seed: number): PairNetwork => {
  const random = seededRandom(seed);
  return new PairNetwork(shape, () => random.uniform());
};
const row = Float64Array.of(0.5, -1, 2, 0.1);

function logitsOf(net: PairNetwork, input: Float64Array): Float64Array {
  const logits = new Float64Array(shape.classes);
  net.forward(input, new Float64Array(shape.hidden), logits);
  return logits;
}

test("starting weights are the generator's, within the Glorot limit; biases start at 0", () => {
  const { parameters } = network(1);
  assert.equal(network(1).parameters, parameters);
  assert.not.equal(network(2).parameters, parameters);
  const limit = Math.sqrt(6 / (shape.features + shape.hidden));
  assert.ok(parameters.subarray(0, 12).every((w) => Math.abs(w) <= limit && w !== 0));
  assert.equal([...parameters.subarray(12, 15)], [0, 0, 0]);
  assert.equal([...parameters.subarray(24)], [0, 0, 0]);
});

test("the mean of networks has the mean of their logits", () => {
  const some = [network(1), network(2), network(3)];
  for (const net of some) net.parameters.set([0.3, -0.2, 0.1], 24);
  const mean = PairNetwork.mean(some);
  assert.equal(mean.shape, { ...shape, hidden: 9 });
  const each = some.map((net) => logitsOf(net, row));
  const logits = new Float64Array(shape.classes);
  mean.forward(row, new Float64Array(9), logits);
  for (const c of logits.keys()) {
    const expected = each.reduce((sum, own) => sum + (own[c] ?? Number.NaN), 0) / 3;
    assert.ok(Math.abs((logits[c] ?? Number.NaN) - expected) < 1e-12);
  }
});

test("weights shrink, biases do not", () => {
  const net = network(1);
  const weights = [...net.parameters.keys()].filter((i) => net.isWeight(i));
  assert.equal(weights, [...Array(12).keys(), ...Array.from({ length: 9 }, (_, i) => 15 + i)]);
});

test("the gradient equals finite differences", () => {
  const net = network(3);
  const target = Float64Array.of(0.2, -0.7, 1.3);
  const loss = (): number => logitsOf(net, row).reduce((sum, logit, c) => sum + logit * (target[c] ?? 0), 0);
  const gradient = new Float64Array(net.parameters.length);
  const hidden = new Float64Array(shape.hidden);
  net.forward(row, hidden, new Float64Array(shape.classes));
  net.backward(row, hidden, target, gradient);
  const step = 1e-6;
  for (const [i, value] of [...net.parameters].entries()) {
    net.parameters[i] = value + step;
    const above = loss();
    net.parameters[i] = value - step;
    const below = loss();
    net.parameters[i] = value;
    assert.ok(Math.abs((above - below) / (2 * step) - (gradient[i] ?? Number.NaN)) < 1e-7, `parameter ${i}`);
  }
});

test("the graph computes what the network computes on standardised rows", async () => {
  const net = network(5);
  const standardisation = { mean: Float64Array.of(1, 2, 3, 4), deviation: Float64Array.of(2, 1, 0.5, 4) };
  const pool = new InferencePool({ workers: 1, queueLimit: 4 });
  try {
    const graph = await loadGraph(pool, onnxModel(net.toGraph(standardisation)));
    const raw = [2, 1, 3.5, -4, 0, 0, 0, 0];
    const { values } = await runMatrix(graph, { rows: 2, columns: 4, values: Float32Array.from(raw) });
    const standardised = raw.map(
      (x, i) => (x - (standardisation.mean[i % 4] ?? 0)) / (standardisation.deviation[i % 4] ?? 1),
    );
    const expected = [0, 4].flatMap((from) => [
      ...logitsOf(net, Float64Array.from(standardised.slice(from, from + 4))),
    ]);
    for (const [i, logit] of expected.entries()) assert.ok(Math.abs((values[i] ?? Number.NaN) - logit) < 1e-5);
  } finally {
    await pool.close();
  }
});

test("the first step of Adam is the rate against the sign of the gradient", () => {
  const parameters = Float64Array.of(1, 1, 1);
  new Adam(3).step(parameters, Float64Array.of(0.5, -20, 0), 0.1);
  assert.ok(Math.abs((parameters[0] ?? 0) - 0.9) < 1e-8);
  assert.ok(Math.abs((parameters[1] ?? 0) - 1.1) < 1e-8);
  assert.is(parameters[2], 1);
});

test("Adam finds the minimum of a parabola", () => {
  const parameters = Float64Array.of(5);
  const adam = new Adam(1);
  for (let i = 0; i < 2000; i += 1) adam.step(parameters, Float64Array.of(2 * ((parameters[0] ?? 0) - 3)), 0.05);
  assert.ok(Math.abs((parameters[0] ?? 0) - 3) < 1e-3);
});

test.run();
