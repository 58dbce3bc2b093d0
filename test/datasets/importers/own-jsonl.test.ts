import { importOwnJsonl } from "../../../datasets/importers/own-jsonl.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import { assert, test } from "../../support/test.js";

test("reads rows and names its source; it contains no catalog", () => {
  const bytes = Buffer.from('{"id":"a","text":"x","workflow_id":null}\n');
  assert.equal(importOwnJsonl({ file: "mine.jsonl", bytes }), {
    rows: [{ id: "a", text: "x", workflow_id: null }],
    catalog: null,
    sources: [{ file: "mine.jsonl", sha256: sha256Hex(bytes), licence: null }],
    badRows: [],
  });
});
