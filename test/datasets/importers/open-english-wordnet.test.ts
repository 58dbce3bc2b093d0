import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readSynsets } from "../../../datasets/importers/open-english-wordnet.js";
import { throws } from "../../support/rejects.js";
import { shared, testWithShared } from "../../support/shared.js";

const test = suite("datasets/importers/open-english-wordnet");

const file = "synsets.jsonl";
const synset = {
  id: "1-n",
  lemmas: ["card"],
  definition: "a flat piece",
  examples: ["a red card"],
  hypernyms: ["2-n"],
};

test("synsets are read from plain and from compressed lines, without other fields", () => {
  const bytes = Buffer.from(`${JSON.stringify({ ...synset, similar: ["3-n"] })}\n`);
  assert.equal(readSynsets({ file, bytes }), [synset]);
  assert.equal(readSynsets({ file, bytes: gzipSync(bytes) }), [synset]);
});

test("a line that is no synset is named; a file without synsets is refused", () => {
  const bytes = Buffer.from(`${JSON.stringify(synset)}\n${JSON.stringify({ ...synset, lemmas: "card" })}\n`);
  assert.match(throws(() => readSynsets({ file, bytes }), "SCHEMA_INVALID").message, "line 2");
  throws(() => readSynsets({ file, bytes: Buffer.alloc(0) }), "DATASET_EMPTY");
});

testWithShared(test, "Open English WordNet is read whole", () => {
  const synsets = readSynsets({ file, bytes: readFileSync(shared("data", "wordnet", "synsets.jsonl.gz")) });
  assert.is(synsets.length, 107_525);
});

test.run();
