import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LexicalKernel } from "../../../../src/retrieval/lexical/lexical-kernel.js";
import { TfidfIndex } from "../../../../src/retrieval/lexical/tfidf-index.js";

const test = suite("src/retrieval/lexical/tfidf-index");

const close = (found: number | undefined, expected: number): void =>
  assert.ok(Math.abs((found ?? Number.NaN) - expected) < 1e-12, `found ${found}, expected ${expected}`);

const documents = [["red", "car"], ["red", "red", "bike"], ["boat"]];
const index = new TfidfIndex(documents);
const similarities = (terms: readonly string[]): Float64Array => {
  const into = new Float64Array(documents.length);
  index.addSimilarities(index.rowOf(terms).row, 1, into);
  return into;
};

/** ln((1 + 3) / (1 + df)) + 1 */
const idfOfOne = Math.log(4 / 2) + 1;
const idfOfTwo = Math.log(4 / 3) + 1;

test("cosine with hand-computed weights", () => {
  const [first, second, third] = similarities(["red"]);
  close(first, idfOfTwo / Math.hypot(idfOfTwo, idfOfOne));
  const red = (1 + Math.log(2)) * idfOfTwo;
  close(second, red / Math.hypot(red, idfOfOne));
  assert.is(third, 0);
});

test("a query of two terms is scaled to norm 1", () => {
  const norm = Math.hypot(idfOfTwo, idfOfOne);
  const [first, , third] = similarities(["red", "boat"]);
  close(first, ((idfOfTwo / norm) * idfOfTwo) / norm);
  close(third, idfOfOne / norm);
});

test("unknown terms are dropped before scaling and counted in the known share", () => {
  assert.equal([...similarities(["red", "spaceship", "spaceship"])], [...similarities(["red"])]);
  close(index.rowOf(["red", "spaceship", "spaceship"]).knownShare, 1 / 2);
  close(index.rowOf(["red", "red", "car", "x", "y"]).knownShare, 2 / 4);
  assert.is(index.rowOf([]).knownShare, 1);
  assert.is(index.rowOf(["x"]).knownShare, 0);
});

test("a text without known terms is similar to nothing", () => {
  assert.equal([...similarities(["x"])], [0, 0, 0]);
  assert.equal([...similarities([])], [0, 0, 0]);
});

test("rows have norm 1, ascending terms, and are the same each time", () => {
  const { row } = index.rowOf(["car", "boat", "red", "boat"]);
  close(
    row.weights.reduce((sum, weight) => sum + weight * weight, 0),
    1,
  );
  assert.equal(
    [...row.terms],
    [...row.terms].sort((a, b) => a - b),
  );
  assert.equal(index.rowOf(["car", "boat", "red", "boat"]).row, row);
  assert.equal(index.rowOf(documents[1] ?? []).row, index.documentRow(1));
});

test("a document that does not exist is refused", () => {
  assert.throws(() => index.documentRow(3), RangeError);
});

test("similarities are added with their scale", () => {
  const into = Float64Array.of(1, 1, 1);
  index.addSimilarities(index.documentRow(2), 0.25, into);
  close(into[2], 1.25);
  assert.is(into[0], 1);
});

const term = fc.constantFrom("a", "b", "c", "d", "e", "f");
const corpus = fc.array(fc.array(term, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 });

test("any corpus: values in [0, 1], own similarity 1, symmetric, the order of terms does not matter", () => {
  fc.assert(
    fc.property(corpus, (lists) => {
      const own = new TfidfIndex(lists);
      const matrix = lists.map((_, document) => {
        const into = new Float64Array(lists.length);
        own.addSimilarities(own.documentRow(document), 1, into);
        return into;
      });
      for (const [i, row] of matrix.entries()) {
        close(row[i], 1);
        for (const [j, value] of row.entries()) {
          assert.ok(value >= 0 && value < 1 + 1e-12);
          close(value, matrix[j]?.[i] ?? Number.NaN);
        }
        assert.equal(own.rowOf([...(lists[i] ?? [])].reverse()).row, own.documentRow(i));
      }
    }),
  );
});

test("the kernel mixes words and character n-grams by their weight", () => {
  const settings = { charMin: 3, charMax: 5, gamma: 2, ridge: 0.1 };
  const texts = ["red bicycle", "blue boat"];
  const of = (wordWeight: number) => new LexicalKernel(texts, { ...settings, wordWeight }).similarities("bicycles red");
  const words = of(1).similarities[0] ?? 0;
  const chars = of(0).similarities[0] ?? 0;
  assert.ok(words > 0 && words < 1 && chars > words && chars < 1);
  close(of(0.65).similarities[0], 0.65 * words + 0.35 * chars);
  close(new LexicalKernel(texts, { ...settings, wordWeight: 0.65 }).documentSimilarities(1)[1], 1);
});

test.run();
