import { createHash } from "node:crypto";
import { appendLeaf, emptyRange, leafHash, nodeHash, rootOf } from "../../../store/history/merkle.js";
import { assert, test } from "../../support/test.js";
import { nodesOfLeaves, rangeOfBodies, referenceLeaves, referenceRoots } from "../../support/rfc6962.js";

const rootHex = (content: readonly Buffer[]) => rootOf(rangeOfBodies(content)).toString("hex");

/** RFC 6962, section 2.1, as it is written there. */
function recursiveRoot(content: readonly Buffer[]): Buffer {
  const [only] = content;
  if (only === undefined) return createHash("sha256").digest();
  if (content.length === 1) return leafHash(only);
  const split = 2 ** Math.floor(Math.log2(content.length - 1));
  return nodeHash(recursiveRoot(content.slice(0, split)), recursiveRoot(content.slice(split)));
}

test("the reference roots of sizes 0 to 8", () => {
  assert.is(rootHex([]), createHash("sha256").digest("hex"));
  for (const [index, root] of referenceRoots.entries()) assert.is(rootHex(referenceLeaves.slice(0, index + 1)), root);
});

test("the root equals the recursive definition for every size up to 70", () => {
  const content = Array.from({ length: 70 }, (_, i) => Buffer.from(`entry ${i}`));
  for (let size = 0; size <= content.length; size += 1) {
    const part = content.slice(0, size);
    assert.is(rootHex(part), recursiveRoot(part).toString("hex"), `size ${size}`);
    assert.is(rangeOfBodies(part).size, size);
  }
});

test("each leaf hands out the subtrees that it completes, smallest first", () => {
  const leaves = Array.from({ length: 64 }, (_, i) => leafHash(Buffer.from(`entry ${i}`)));
  const read = nodesOfLeaves(leaves);
  let range = emptyRange;
  for (const [index, leaf] of leaves.entries()) {
    const extended = appendLeaf(range, leaf);
    range = extended.range;
    const levels = [1, 2, 3, 4, 5, 6].filter((level) => (index + 1) % 2 ** level === 0);
    assert.equal(
      extended.nodes,
      levels.map((level) => read(level, index + 1)),
    );
  }
});

test("a leaf cannot pass for a node", () => {
  const [a, b] = [leafHash(Buffer.from("a")), leafHash(Buffer.from("b"))];
  assert.is.not(rootHex([Buffer.from("a"), Buffer.from("b")]), rootHex([Buffer.concat([a, b])]));
});
