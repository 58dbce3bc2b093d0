import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appendLeaf, emptyRange, leafHash, rootOf } from "../../../src/history/merkle.js";

const test = suite("src/history/merkle");

// Leaves and roots of the Certificate Transparency reference implementation.
const leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const bodies = leaves.map((hex) => Buffer.from(hex, "hex"));

const rangeOf = (content: readonly Buffer[]) =>
  content.reduce((range, body) => appendLeaf(range, leafHash(body)), emptyRange);
const rootHex = (content: readonly Buffer[]) => rootOf(rangeOf(content)).toString("hex");

/** RFC 6962, section 2.1, as it is written there. */
function recursiveRoot(content: readonly Buffer[]): Buffer {
  const [only] = content;
  if (only === undefined) return createHash("sha256").digest();
  if (content.length === 1) return leafHash(only);
  const split = 2 ** Math.floor(Math.log2(content.length - 1));
  const node = createHash("sha256").update(Buffer.from([1]));
  return node
    .update(recursiveRoot(content.slice(0, split)))
    .update(recursiveRoot(content.slice(split)))
    .digest();
}

test("the reference roots of sizes 0, 1 and 8", () => {
  assert.is(rootHex([]), createHash("sha256").digest("hex"));
  assert.is(rootHex(bodies.slice(0, 1)), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
  assert.is(rootHex(bodies), "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
});

test("the root equals the recursive definition for every size up to 70", () => {
  const content = Array.from({ length: 70 }, (_, i) => Buffer.from(`entry ${i}`));
  for (let size = 0; size <= content.length; size += 1) {
    const part = content.slice(0, size);
    assert.is(rootHex(part), recursiveRoot(part).toString("hex"), `size ${size}`);
    assert.is(rangeOf(part).size, size);
  }
});

test("a leaf cannot pass for a node", () => {
  const [a, b] = [leafHash(Buffer.from("a")), leafHash(Buffer.from("b"))];
  assert.is.not(rootHex([Buffer.from("a"), Buffer.from("b")]), rootHex([Buffer.concat([a, b])]));
});

test.run();
