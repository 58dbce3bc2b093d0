import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defaultChoices } from "../../../datasets/sources/choices.js";
import { readMaterial } from "../../../datasets/sources/read-material.js";

const test = suite("datasets/sources/nlpjs");

const read = (corpus: object) =>
  readMaterial([{ file: "corpus.json", bytes: Buffer.from(JSON.stringify(corpus)) }], defaultChoices);

test("utterances of a corpus are texts, those of None are out of scope", async () => {
  const found = await read({
    name: "Corpus",
    locale: "en-US",
    data: [
      { intent: "agent.age", utterances: ["your age", ""], answers: ["I am young"] },
      { intent: "None", utterances: ["what is the weather"] },
    ],
  });
  assert.is(found.kind, "nlpjs");
  assert.equal(
    found.texts.map(({ text, label, part }) => [text, label, part]),
    [
      ["your age", "agent.age", null],
      ["what is the weather", null, null],
    ],
  );
  assert.equal(
    found.leftOut.map(({ at, reason }) => [at, reason]),
    [["intent agent.age utterances 2", "no_text"]],
  );
});

test("tests of a corpus measure, and its utterances are for training", async () => {
  const data = [{ intent: "agent.age", utterances: ["your age"], tests: ["how old are you"] }];
  const { texts } = await read({ data });
  assert.equal(
    texts.map(({ text, part }) => [text, part]),
    [
      ["your age", "train"],
      ["how old are you", "test"],
    ],
  );
});

test.run();
