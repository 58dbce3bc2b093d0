import { suite } from "uvu";
import * as assert from "uvu/assert";
import { unbounded } from "../../../../src/domain/run-scope.js";
import { SoftIndex } from "../../../../src/retrieval/kernels/soft-index.js";
import { TermCounts } from "../../../../src/retrieval/kernels/term-index.js";
import type { WordVectors } from "../../../../src/retrieval/words/word-vectors.js";
import { withPool } from "../../../support/pools.js";
import { vectorsOf } from "../../../support/word-vectors.js";

const test = suite("src/retrieval/kernels/soft-index");

const texts = [["parcel", "late"], ["refund"]];
const vectors = vectorsOf({ parcel: [1, 0], refund: [0, 1], package: [0.8, 0.6] });
const floor = 0.2;

function cosinesOf(lemmas: readonly string[], known: WordVectors | null): Promise<readonly number[]> {
  return withPool({}, async (pool) => {
    const counts = new TermCounts();
    for (const words of texts) counts.add(words);
    const settings = { neighbours: 2, neighbourFloor: floor };
    const index = await SoftIndex.create(counts, { vectors: known, settings, pool, pause: async () => {} });
    const cosines = new Float32Array(texts.length);
    index.addCosines(await index.rowOf(lemmas, unbounded), 1, cosines);
    return [...cosines];
  });
}

const near = (found: number | undefined, expected: number): void =>
  assert.ok(Math.abs((found ?? Number.NaN) - expected) < 1e-6, `${found} is not ${expected}`);

test("without vectors it is the cosine of idf-weighted words, each counted once", async () => {
  const [first, second] = await cosinesOf(["parcel", "parcel", "unheard"], null);
  near(first, Math.SQRT1_2);
  near(second, 0);
});

test("a word outside the catalog adds its nearest words, weighted by how far they exceed the floor", async () => {
  const [parcel, refund] = [(0.8 - floor) / (1 - floor), (0.6 - floor) / (1 - floor)];
  const norm = Math.hypot(parcel, refund);
  const [first, second] = await cosinesOf(["package"], vectors);
  near(first, (parcel / norm) * Math.SQRT1_2);
  near(second, refund / norm);
});

test("of two reasons for a word the stronger one counts", async () => {
  const [first, second] = await cosinesOf(["package", "refund"], vectors);
  const parcel = (0.8 - floor) / (1 - floor);
  near(first, (parcel / Math.hypot(parcel, 1)) * Math.SQRT1_2);
  near(second, 1 / Math.hypot(parcel, 1));
});

test("a text of unknown words is similar to nothing", async () => {
  assert.equal(await cosinesOf(["unheard"], vectors), [0, 0]);
  assert.equal(await cosinesOf([], vectors), [0, 0]);
});

test.run();
