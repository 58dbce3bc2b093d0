import fc from "fast-check";
import { SharedMemory } from "../../../../src/inference/shared-memory.js";
import { kernelOf, FastKernel, localRidge, type WriteKernel } from "../../../../src/router/retrieval/head.js";
import { assert, test, throws } from "../../../support/test.js";

const settings = { gamma: 2, own_ridge: 0.1, negative_ridge: 1, negatives: 8 };

const kernelValue = (similarity: number, gamma: number): number =>
  Math.exp(gamma * (similarity - 1)) - Math.exp(-gamma);

test("texts that share nothing have the kernel value 0, equal texts 1 - exp(-gamma)", () => {
  const memory = new SharedMemory();
  const [similarities, values] = [memory.float32(3), memory.float32(3)];
  similarities.set([0, 1, 0.5]);
  values.fill(7);
  new FastKernel(2, memory).write(similarities, values);
  assert.is(values[0], 0);
  assert.ok(Math.abs((values[1] ?? Number.NaN) - (1 - Math.exp(-2))) < 1e-7);
  assert.ok(Math.abs((values[2] ?? Number.NaN) - kernelValue(0.5, 2)) < 1e-7);
});

test("the kernel is right to six digits for every gamma, beyond the range of cosines too", () => {
  const memory = new SharedMemory();
  const [similarities, values] = [memory.float32(4001), memory.float32(4001)];
  for (const i of similarities.keys()) similarities[i] = (i - 2000) / 1600;
  for (const gamma of [0.3, 2, 11]) {
    new FastKernel(gamma, memory).write(similarities, values);
    for (const [i, similarity] of similarities.entries()) {
      const expected = kernelOf(similarity, gamma);
      assert.ok(Math.abs((values[i] ?? Number.NaN) - expected) < 5e-7 * Math.max(1, Math.abs(expected)));
    }
  }
});

/** Writes the lower triangle of a kernel that is given as a function. */
const written =
  (kernel: (place: number, other: number) => number): WriteKernel =>
  (into, n) => {
    for (let i = 0; i < n; i += 1) for (let j = 0; j <= i; j += 1) into[i * n + j] = kernel(i, j);
  };

test("one text of the workflow and one hard negative: two equations solved by hand", () => {
  const similarity = (place: number, other: number): number => (place === other ? 1 : 0.5);
  const kernel = written((place, other) => kernelOf(similarity(place, other), 2));
  const weights = localRidge({ own: [0], negatives: [1] }, kernel, settings);
  const k = 1 - Math.exp(-2);
  const c = Math.exp(-1) - Math.exp(-2);
  const determinant = (k + 0.1) * (k + 1) - c * c;
  assert.ok(Math.abs((weights[0] ?? Number.NaN) - (k + 1) / determinant) < 1e-12);
  assert.ok(Math.abs((weights[1] ?? Number.NaN) + c / determinant) < 1e-12);
});

test("the weights solve (K + R) a = y for any cosines", () => {
  const vector = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(vector, { minLength: 2, maxLength: 7 }), fc.integer({ min: 1, max: 6 }), (vectors, own) => {
      const units = vectors.map((v) => v.map((x) => x / (Math.hypot(...v) || 1)));
      const similarity = (i: number, j: number): number =>
        (units[i] ?? []).reduce((sum, x, d) => sum + x * (units[j]?.[d] ?? 0), 0);
      const count = Math.min(own, vectors.length);
      const texts = { own: [...vectors.keys()].slice(0, count), negatives: [...vectors.keys()].slice(count) };
      const weights = localRidge(
        texts,
        written((i, j) => kernelOf(similarity(i, j), 2)),
        settings,
      );
      for (const i of vectors.keys()) {
        const sum = vectors.reduce((s, _, j) => s + kernelValue(similarity(i, j), 2) * (weights[j] ?? Number.NaN), 0);
        const ridge = (i < count ? 0.1 : 1) * (weights[i] ?? Number.NaN);
        assert.ok(Math.abs(sum + ridge - (i < count ? 1 : 0)) < 1e-9);
      }
    }),
  );
});

test("similarities that are no kernel are refused", () => {
  const kernel = written((place, other) => kernelOf(place === other ? 0 : 2, 2));
  throws(() => localRidge({ own: [0], negatives: [1] }, kernel, settings), "FIT_FAILED");
});
