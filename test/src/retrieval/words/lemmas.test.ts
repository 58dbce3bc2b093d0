import { suite } from "uvu";
import * as assert from "uvu/assert";
import { lemma } from "../../../../src/retrieval/words/lemma.js";
import { lemmasOf } from "../../../../src/retrieval/words/lemmas.js";

const test = suite("src/retrieval/words/lemmas");

const families: readonly (readonly [base: string, ...forms: string[]])[] = [
  ["make", "makes", "made", "making"],
  ["book", "books", "booked", "booking"],
  ["stop", "stops", "stopped", "stopping"],
  ["arrive", "arrives", "arrived", "arriving"],
  ["change", "changes", "changed", "changing"],
  ["transfer", "transfers", "transferred", "transferring"],
  ["declare", "declares", "declared", "declaring"],
  ["visit", "visits", "visited", "visiting"],
  ["create", "creates", "created", "creating"],
  ["wait", "waits", "waited", "waiting"],
  ["cancel", "cancels", "cancelled", "canceled", "cancelling"],
  ["verify", "verifies", "verified", "verifying"],
  ["city", "cities"],
  ["box", "boxes"],
  ["address", "addresses"],
  ["child", "children"],
];

for (const [base, ...forms] of families) {
  test(`${base} is the lemma of its forms`, () =>
    assert.equal([base, ...forms].map(lemma), [base, ...forms].fill(base)));
}

for (const word of ["this", "news", "bus", "morning", "thing", "string", "business", "status", "red", "hundred"]) {
  test(`${word} is its own lemma`, () => assert.is(lemma(word), word));
}

const texts: readonly (readonly [text: string, lemmas: readonly string[]])[] = [
  ["I'd like 2 tickets, please!", ["i", "like", "0", "ticket", "please"]],
  ["Where is my order?", ["where", "be", "my", "order"]],
  ["I can't log in", ["i", "can", "not", "log", "in"]],
  ["I cannot log in", ["i", "can", "not", "log", "in"]],
  ["I can not log in", ["i", "can", "not", "log", "in"]],
  ["I won’t pay, don't cancel it", ["i", "will", "not", "pay", "do", "not", "cancel", "it"]],
  ["What's the café's   address", ["what", "the", "cafe", "address"]],
  ["ÜBERWEISUNG naïve", ["uberweisung", "naive"]],
  ["①② ٣", ["00", "0"]],
  ["e-mail foo_bar a.b", ["e", "mail", "foo", "bar", "a", "b"]],
  ["order order orders", ["order", "order", "order"]],
  ["漢字 テスト", ["漢字", "テスト"]],
  ["It hasn’t arrived; I can't wait", ["it", "have", "not", "arrive", "i", "can", "not", "wait"]],
  ["Café at 12:30 for £15", ["cafe", "at", "00", "00", "for", "£00"]],
  ["😀 …", []],
  ["", []],
];

for (const [text, lemmas] of texts) {
  test(`lemmas of ${JSON.stringify(text)}`, () => assert.equal(lemmasOf(text), lemmas));
}

test.run();
