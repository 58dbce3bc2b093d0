import { charNgramsOf, wordsOf } from "../../../../src/router/retrieval/words.js";
import { assert, test } from "../../../support/test.js";

const texts: readonly (readonly [text: string, words: readonly string[]])[] = [
  ["I'd like 2 tickets, please!", ["id", "like", "0", "tickets", "please"]],
  ["Crème BRÛLÉE for £12", ["creme", "brulee", "for", "£00"]],
  ["don’t", ["dont"]],
  ["🙂", []],
];
for (const [text, words] of texts) test(`the words of ${text}`, () => assert.equal(wordsOf(text), words));

test("character n-grams stay inside a word that is padded by one space on each side", () => {
  assert.equal(charNgramsOf("oak", 3, 4), [" oa", "oak", "ak ", " oak", "oak "]);
  assert.equal(charNgramsOf("ab", 5, 5), [" ab "]);
});
