import { SharedMemory } from "../../../../src/inference/shared-memory.js";
import { gather, rowAt, scatter, type SparseRow, transposed } from "../../../../src/router/retrieval/sparse-rows.js";
import { WordPairCounts } from "../../../../src/router/retrieval/lexical-index.js";
import { TermCounts, TermIndex } from "../../../../src/router/retrieval/term-index.js";
import { assert, test } from "../../../support/test.js";

const texts = [["b", "a", "b"], ["a"], ["c", "a"], []];

const rowOfTerms = (index: TermIndex, terms: readonly string[]): SparseRow =>
  index.rowOfGroups([Int32Array.from(terms.map((term) => index.placeOf(term)).filter((place) => place >= 0))]);

function counted(): TermCounts {
  const counts = new TermCounts();
  for (const terms of texts) counts.add(terms);
  return counts;
}

const near = (found: number | undefined, expected: number): void =>
  assert.ok(Math.abs((found ?? Number.NaN) - expected) < 1e-6, `${found} is not ${expected}`);

test("terms are numbered in their order, and those of a text are merged", () => {
  const { vocabulary, rows } = counted().counted();
  assert.equal(vocabulary, ["a", "b", "c"]);
  assert.equal([...rows.starts], [0, 2, 3, 5, 5]);
  assert.equal([...rows.terms], [1, 0, 0, 2, 0]);
  assert.equal([...rows.weights], [2, 1, 1, 1, 1]);
});

test("a row is (1 + ln count) * (ln((1 + N) / (1 + df)) + 1), scaled to norm 1", () => {
  const index = TermIndex.of(counted().counted(), new SharedMemory());
  const a = Math.log(5 / 4) + 1;
  const b = (1 + Math.LN2) * (Math.log(5 / 2) + 1);
  const row = rowAt(index.textRows(), 0);
  near(row.weights[0], a / Math.hypot(a, b));
  near(row.weights[1], b / Math.hypot(a, b));
});

test("a new text loses unknown terms before scaling, and a text without known terms has an empty row", () => {
  const index = TermIndex.of(counted().counted(), new SharedMemory());
  const row = rowOfTerms(index, ["z", "a", "z"]);
  assert.equal([...row.terms], [0]);
  near(row.weights[0], 1);
  assert.is(rowOfTerms(index, ["z"]).terms.length, 0);
});

test("cosines through postings equal the sum over common terms", () => {
  const memory = new SharedMemory();
  const index = TermIndex.of(counted().counted(), memory);
  const cosines = memory.float32(texts.length);
  index.addCosines(rowOfTerms(index, ["b", "a", "b"]), 2, cosines);
  near(cosines[0], 2);
  near(cosines[1], 2 * (rowAt(index.textRows(), 0).weights[0] ?? Number.NaN));
  assert.is(cosines[3], 0);
});

test("words and their pairs are terms, numbered the same whatever the order of the texts", () => {
  const wordsOfTexts = [["pay", "my", "bill"], ["my", "pay", "my", "bill"], ["bill"]];
  const memory = new SharedMemory();
  const indexOf = (given: readonly (readonly string[])[]): TermIndex => {
    const counts = new WordPairCounts();
    for (const words of given) counts.add(words);
    return TermIndex.of(counts.counted(), memory);
  };
  const index = indexOf(wordsOfTexts);
  assert.is(index.termCount, 3 + 3);
  const rowOf = (given: TermIndex, words: readonly string[]) =>
    given.rowOfWords(words.map((word) => given.placeOf(word)));
  const terms = (given: TermIndex, ...words: readonly string[]): readonly number[] => [...rowOf(given, words).terms];
  assert.equal(terms(index, "pay", "my", "bill"), [2, 1, 5, 0, 3]);
  assert.equal(terms(index, "bill", "zebra", "pay"), [0, 2]);
  assert.equal(terms(indexOf([...wordsOfTexts].reverse()), "my", "pay", "my"), terms(index, "my", "pay", "my"));
  const cosines = memory.float32(3);
  index.addCosines(rowOf(index, ["my", "pay", "my", "bill"]), 1, cosines);
  near(cosines[1], 1);
});

test("gathering a scattered row gives the same product, and scattering 0 leaves no trace", () => {
  const rows = TermIndex.of(counted().counted(), new SharedMemory()).textRows();
  const scratch = new Float32Array(3);
  scatter(rowAt(rows, 0), 1, scratch);
  near(gather(rows, 0, scratch), 1);
  scatter(rowAt(rows, 0), 0, scratch);
  assert.equal([...scratch], [0, 0, 0]);
});

test("transposing twice gives the rows back", () => {
  const rows = TermIndex.of(counted().counted(), new SharedMemory()).textRows();
  assert.equal(transposed(transposed(rows, 3), texts.length), rows);
});
