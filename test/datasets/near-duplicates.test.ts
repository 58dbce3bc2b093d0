import { nearDuplicates, normaliseText } from "../../datasets/near-duplicates.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, test } from "../support/test.js";

function exactJaccard(a: string, b: string): number {
  const shingles = (text: string) => {
    const words = normaliseText(text).split(" ");
    return new Set([...words, ...words.slice(1).map((word, i) => `${words[i]} ${word}`)]);
  };
  const [left, right] = [shingles(a), shingles(b)];
  const shared = [...left].filter((s) => right.has(s)).length;
  return shared / (left.size + right.size - shared);
}

test("normalises case, punctuation, width and white space", () => {
  assert.is(normaliseText("  What's UP,\tＤoc?! "), "what s up doc");
});

test("finds texts that differ in punctuation, or by one word at the end", () => {
  const texts = ["cancel my order right now please", "Cancel my order, right now, please!", "where is the train", ""];
  assert.equal(nearDuplicates(texts), [{ first: 0, second: 1, jaccard: 1 }]);
  const [pair] = nearDuplicates(["a b c d e f g h i j", "a b c d e f g h i j k"]);
  assert.is(pair?.jaccard, 19 / 21);
});

test("texts without a word are no duplicates of each other", () => {
  assert.equal(nearDuplicates(["?!", "...", ""]), []);
});

test("agrees with comparing every pair on random texts", () => {
  const random = seededRandom(5);
  const words = Array.from({ length: 12 }, (_, i) => `word${i}`);
  const bases = Array.from({ length: 40 }, () => Array.from({ length: 12 }, () => words[random.integer(0, 11)] ?? ""));
  const texts = bases.flatMap((base) => [base.join(" "), base.slice(1).join(" "), [...base, "more"].join(" ")]);
  const expected = texts.flatMap((a, first) =>
    texts.flatMap((b, second) => (first < second && exactJaccard(a, b) >= 0.8 ? [`${first}:${second}`] : [])),
  );
  assert.ok(expected.length > 40);
  assert.equal(
    nearDuplicates(texts).map((pair) => `${pair.first}:${pair.second}`),
    expected,
  );
});

test("links every copy of one text to an earlier copy, without comparing all pairs", () => {
  const pairs = nearDuplicates(Array.from({ length: 2000 }, () => "the very same words"));
  assert.is(new Set(pairs.map((pair) => pair.second)).size, 1999);
  assert.ok(pairs.length < 2000 * 25);
});
