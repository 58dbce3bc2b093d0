import { leafHash, rootOf } from "../../../store/history/merkle.js";
import { consistencyPath } from "../../../store/history/proofs.js";
import { type TreeHead, verifyConsistency } from "../../../store/history/verify-proofs.js";
import { assert, test } from "../../support/test.js";
import { nodesOfLeaves, rangeOfBodies, referenceLeaves } from "../../support/rfc6962.js";

const hexes = (path: readonly Buffer[]) => path.map((hash) => hash.toString("hex"));
const headOf = (bodies: readonly Buffer[], size: number): TreeHead => {
  return { size, root: rootOf(rangeOfBodies(bodies.slice(0, size))) };
};
const flipped = (hash: Buffer): Buffer => Buffer.from(hash.map((byte, i) => (i === 0 ? byte ^ 1 : byte)));
const replaced = (path: readonly Buffer[], at: number): Buffer[] =>
  path.map((hash, i) => (i === at ? flipped(hash) : hash));

const reference = nodesOfLeaves(referenceLeaves.map(leafHash));

// Proofs of the Certificate Transparency reference implementation.
const referenceConsistency: readonly (readonly [from: number, to: number, path: readonly string[]])[] = [
  [1, 1, []],
  [
    1,
    8,
    [
      "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
  ],
  [
    6,
    8,
    [
      "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
      "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
  ],
  [
    2,
    5,
    [
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
  ],
];

test("the reference consistency proofs", () => {
  for (const [from, to, expected] of referenceConsistency) {
    assert.equal(hexes(consistencyPath(reference, from, to)), expected, `${from} to ${to}`);
  }
});

const bodies = Array.from({ length: 70 }, (_, i) => Buffer.from(`entry ${i}`));
const leaves = bodies.map(leafHash);
const read = nodesOfLeaves(leaves);
const leafAt = (index: number): Buffer => leaves[index] ?? Buffer.alloc(32);

test("every consistency proof up to 70 leaves holds, and for no other size, root or hash", () => {
  const heads = bodies.map((_, i) => headOf(bodies, i + 1));
  for (const newer of heads) {
    for (const older of heads.slice(0, newer.size)) {
      const path = consistencyPath(read, older.size, newer.size);
      const which = `${older.size} to ${newer.size}`;
      assert.ok(verifyConsistency(path, older, newer), which);
      assert.not(verifyConsistency([...path, leafAt(0)], older, newer), which);
      assert.not(verifyConsistency(path, { ...older, root: flipped(older.root) }, newer), which);
      assert.not(verifyConsistency(path, older, { ...newer, root: flipped(newer.root) }), which);
      assert.not(verifyConsistency(path, { ...older, size: newer.size + 1 }, newer), which);
      for (const at of path.keys()) assert.not(verifyConsistency(replaced(path, at), older, newer), which);
      if (path.length > 0) assert.not(verifyConsistency(path.slice(1), older, newer), which);
    }
  }
});

test("sizes at which nothing can be proved are refused", () => {
  const [one, two] = [headOf(bodies, 1), headOf(bodies, 2)];
  assert.not(verifyConsistency([], { size: 0, root: one.root }, two));
  assert.not(verifyConsistency([], two, one));
  assert.not(verifyConsistency([], one, two));
});
