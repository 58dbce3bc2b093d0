import { suite } from "uvu";
import * as assert from "uvu/assert";
import { unbounded } from "../../../../src/domain/run-scope.js";
import { DenseIndex } from "../../../../src/retrieval/kernels/dense-index.js";
import { withPool } from "../../../support/pools.js";
import { vectorsOf } from "../../../support/word-vectors.js";

const test = suite("src/retrieval/kernels/dense-index");

const vectors = vectorsOf({ parcel: [3, 0, 0], late: [0, 4, 0], money: [0, 0, 2] });
const texts = [["parcel", "late"], ["money"], ["unheard"]];

const near = (found: Float32Array, expected: readonly number[]): void => {
  assert.is(found.length, expected.length);
  for (const [i, value] of expected.entries()) assert.ok(Math.abs((found[i] ?? Number.NaN) - value) < 1e-6, `${i}`);
};

test("cosines of sums, repetition counted, 0 for texts without a known word", () =>
  withPool({}, async (pool) => {
    const index = await DenseIndex.create(texts, vectors, pool);
    near(await index.cosines(["parcel"], unbounded), [3 / 5, 0, 0]);
    near(await index.cosines(["parcel", "parcel", "money", "unheard"], unbounded), [
      (6 * 3) / (5 * Math.hypot(6, 2)),
      2 / Math.hypot(6, 2),
      0,
    ]);
    near(await index.cosines(["unheard"], unbounded), [0, 0, 0]);
    near(await index.cosines([], unbounded), [0, 0, 0]);
  }));

test("texts among themselves: the graph and the pair agree", () =>
  withPool({}, async (pool) => {
    const index = await DenseIndex.create(texts, vectors, pool);
    near(await index.textCosines([0, 1], unbounded), [1, 0, 0, 0, 1, 0]);
    assert.ok(Math.abs(index.cosine(0, 0) - 1) < 1e-6);
    assert.is(index.cosine(0, 2), 0);
  }));

test.run();
