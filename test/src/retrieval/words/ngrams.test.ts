import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lemmasOf } from "../../../../src/retrieval/words/lemmas.js";
import { ngramsOf } from "../../../../src/retrieval/words/ngrams.js";

const test = suite("src/retrieval/words/ngrams");

test("word n-grams are the words and their adjacent pairs", () => {
  assert.equal(ngramsOf(["my", "big", "order"], 3, 5).words, ["my", "big", "order", "my big", "big order"]);
  assert.equal(ngramsOf(["order"], 3, 5).words, ["order"]);
  assert.equal(ngramsOf([], 3, 5), { words: [], chars: [] });
});

test("character n-grams stay inside a word that is padded by one space per side", () => {
  assert.equal(ngramsOf(["an", "oak"], 3, 4).chars, [" an", "an ", " an ", " oa", "oak", "ak ", " oak", "oak "]);
});

test("a word no longer than the shortest n-gram is one n-gram", () => {
  assert.equal(ngramsOf(["a"], 3, 5).chars, [" a "]);
  assert.equal(ngramsOf(["ab"], 5, 5).chars, [" ab "]);
});

test("a negation is a word, and a pair with its verb", () => {
  assert.ok(ngramsOf(lemmasOf("I can't log in"), 3, 5).words.includes("can not"));
  assert.not.ok(ngramsOf(lemmasOf("I can log in"), 3, 5).words.includes("can not"));
});

test.run();
