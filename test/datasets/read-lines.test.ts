import { gzipSync } from "node:zlib";
import { linesOf } from "../../datasets/read-jsonl.js";
import { assert, test, throws } from "../support/test.js";

test("lines come without their ends and empty ones, packed or not", () => {
  const text = Buffer.from("one\r\n\ntwo\nthree");
  assert.equal(linesOf(text, "text.txt"), ["one", "two", "three"]);
  assert.equal(linesOf(gzipSync(text), "text.txt.gz"), ["one", "two", "three"]);
});

test("a packed file that was cut is refused by name", () => {
  const cut = gzipSync(Buffer.from("one\ntwo\n")).subarray(0, 15);
  assert.match(throws(() => linesOf(cut, "text.txt.gz"), "DOCUMENT_INVALID").message, /text\.txt\.gz/);
});
