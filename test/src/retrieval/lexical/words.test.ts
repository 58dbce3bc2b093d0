import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ngramsOf } from "../../../../src/retrieval/lexical/ngrams.js";
import { lemma, wordsOf } from "../../../../src/retrieval/lexical/words.js";

const test = suite("src/retrieval/lexical/words");

const lemmas: readonly (readonly [word: string, lemma: string])[] = [
  ["orders", "order"],
  ["order", "order"],
  ["cities", "city"],
  ["ties", "tie"],
  ["boxes", "box"],
  ["matches", "match"],
  ["dishes", "dish"],
  ["classes", "class"],
  ["class", "class"],
  ["status", "status"],
  ["basis", "basis"],
  ["bus", "bus"],
  ["gas", "gas"],
  ["booking", "book"],
  ["running", "run"],
  ["string", "string"],
  ["thing", "thing"],
  ["called", "call"],
  ["stopped", "stop"],
  ["shipped", "ship"],
  ["booked", "book"],
  ["tried", "try"],
  ["need", "need"],
  ["red", "red"],
  ["was", "be"],
  ["paid", "pay"],
  ["children", "child"],
  ["news", "news"],
  ["this", "this"],
  ["constructor", "constructor"],
];

for (const [word, expected] of lemmas) test(`lemma of ${word}`, () => assert.is(lemma(word), expected));

const texts: readonly (readonly [text: string, words: readonly string[]])[] = [
  ["Where is my order?", ["where", "be", "my", "order"]],
  ["What's the café's   address", ["what", "the", "cafe", "address"]],
  ["I don’t know, they're late", ["i", "don", "know", "they", "late"]],
  ["Order 4711 costs $20 or €5", ["order", "0000", "cost", "$00", "or", "€0"]],
  ["ÜBERWEISUNG naïve", ["uberweisung", "naive"]],
  ["①② ٣", ["00", "0"]],
  ["e-mail foo_bar a.b", ["e", "mail", "foo", "bar", "a", "b"]],
  ["order order orders", ["order", "order", "order"]],
  ["漢字 テスト", ["漢字", "テスト"]],
  ["🙂 !!! —", []],
  ["", []],
];

for (const [text, words] of texts) {
  test(`words of ${JSON.stringify(text)}`, () => assert.equal(wordsOf(text), words));
}

test("word n-grams are the words and their adjacent pairs", () => {
  assert.equal(ngramsOf("my big order", 3, 5).words, ["my", "big", "order", "my big", "big order"]);
  assert.equal(ngramsOf("order", 3, 5).words, ["order"]);
  assert.equal(ngramsOf("", 3, 5), { words: [], chars: [] });
});

test("character n-grams stay inside a word that is padded by one space per side", () => {
  assert.equal(ngramsOf("an oak", 3, 4).chars, [" an", "an ", " an ", " oa", "oak", "ak ", " oak", "oak "]);
});

test("a word no longer than the shortest n-gram is one n-gram", () => {
  assert.equal(ngramsOf("a", 3, 5).chars, [" a "]);
  assert.equal(ngramsOf("ab", 5, 5).chars, [" ab "]);
});

test.run();
