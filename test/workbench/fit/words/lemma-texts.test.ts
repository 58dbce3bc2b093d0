import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lemmaCounts, lemmaTexts, withoutSequences } from "../../../../workbench/fit/words/lemma-texts.js";

const test = suite("workbench/fit/words/lemma-texts");

const textsOf = ({ lemmas, starts, words }: ReturnType<typeof lemmaTexts>): readonly string[] =>
  [...starts.keys()]
    .slice(1)
    .map((text) => Array.from(words.subarray(starts[text - 1], starts[text]), (word) => lemmas[word]).join(" "));

test("texts come back as their lemmas, empty ones left out", () => {
  const texts = lemmaTexts(["Where are my orders?", "🙂", "orders, orders"]);
  assert.equal(textsOf(texts), ["where be my order", "order order"]);
  assert.equal([...lemmaCounts(texts)], [1, 1, 1, 3]);
});

test("more words than the first block holds are all stored", () => {
  const texts = lemmaTexts(Array.from({ length: 700 }, (_, place) => `word${place % 7} of a text`));
  assert.is(texts.starts.length, 701);
  assert.is(texts.words.length, 2800);
});

test("texts are refused by their lemmas, or removed later by their sequence number", () => {
  const texts = lemmaTexts(["pay my bill", "bill my pay", "stop"], (lemmas) => !lemmas.includes("stop"));
  assert.equal(textsOf(withoutSequences(texts, new Set(["pay my bill"]))), ["bill my pay"]);
});

test.run();
