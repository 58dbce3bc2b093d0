import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { linesOf } from "../../../../datasets/read-lines.js";
import { lemmasOf } from "../../../../src/retrieval/words/lemmas.js";
import { NearTexts } from "../../../../workbench/fit/words/near-texts.js";
import { readClinc150 } from "../../../support/clinc150.js";
import { shared, testWithShared } from "../../../support/shared.js";

const test = suite("workbench/fit/words/near-texts");

const near = new NearTexts(["what is my credit limit", "Freeze my account!", "hello there"].map(lemmasOf));
const has = (text: string): boolean => near.has(lemmasOf(text));

test("a text is near when its distinct words are the same, or one is added, left out or exchanged", () => {
  assert.equal(
    [
      "What's my credit limit?",
      "my credit limit is what",
      "what is my new credit limit",
      "what is my credit",
      "what is my speed limit",
      "freeze the account",
    ].map(has),
    [true, true, true, true, true, true],
  );
  assert.equal(["what is your speed limit", "my credit", "thaw the account", "", "🙂"].map(has), [
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("a text of one or two words is near only to the same words", () => {
  assert.equal(["hello there", "there, hello", "hello", "hello you"].map(has), [true, true, false, false]);
});

/** Words of one set that the other lacks, both ways; by definition and slowly. */
function isNear(text: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const more = [...text].filter((word) => !other.has(word)).length;
  const fewer = [...other].filter((word) => !text.has(word)).length;
  if (more === 0 && fewer === 0) return true;
  return text.size > 2 && other.size > 2 && more < 2 && fewer < 2;
}

testWithShared(test, "on published requests it finds what comparing every pair of texts finds", () => {
  const { lists } = readClinc150(shared("data"));
  const held = lists.test.filter((_, place) => place % 9 === 0).map(([text]) => lemmasOf(text));
  const file = shared("data", "corpus", "pairs", "intent.rasa-nlu-training-data.tsv.gz");
  const others = linesOf(readFileSync(file), file).map((line) => lemmasOf(line.split("\t")[1] ?? ""));
  const asked = [...others, ...lists.train.filter((_, place) => place % 50 === 0).map(([text]) => lemmasOf(text))];
  const found = new NearTexts(held);
  const sets = held.map((lemmas) => new Set(lemmas));
  const expected = asked.map((lemmas) => sets.some((other) => isNear(new Set(lemmas), other)));
  assert.equal(
    asked.map((lemmas) => found.has(lemmas)),
    expected,
  );
  assert.ok(expected.some((near) => near) && expected.some((near) => !near));
});

test.run();
