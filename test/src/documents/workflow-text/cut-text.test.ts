import * as fc from "fast-check";
import {
  cutText,
  equalShares,
  firstItems,
  largestShare,
} from "../../../../src/documents/workflow-text/contract-text.js";
import { assert, test } from "../../../support/test.js";

const cuts: readonly (readonly [name: string, text: string, budget: number, kept: string])[] = [
  ["a text that fits stays whole", "pay now", 7, "pay now"],
  ["a longer one ends between words", "pay the invoice", 10, "pay the"],
  ["a word that ends at the budget stays", "pay the invoice", 7, "pay the"],
  ["a long word is cut inside rather than lost", "a supercalifragilistic", 12, "a supercalif"],
  ["a text without spaces is cut inside", "対象外の依頼", 3, "対象外"],
  ["no half of a character stays", "🙂🙂🙂", 3, "🙂"],
  ["nothing fits in nothing", "pay", 0, ""],
];

for (const [name, text, budget, kept] of cuts) test(name, () => assert.is(cutText(text, budget), kept));

test("first items are whole and in order; the first that does not fit ends the list", () => {
  assert.equal(firstItems(["one", "two", "three"], 8), { text: "one; two", cut: true });
  assert.equal(firstItems(["one", "two", "three"], 15), { text: "one; two; three", cut: false });
  assert.equal(firstItems(["one", "a very long item", "x"], 10), { text: "one", cut: true });
  assert.equal(firstItems([], 10), { text: "", cut: false });
});

test("a first item that does not fit is cut rather than lost", () => {
  assert.equal(firstItems(["pay the invoice", "two"], 8), { text: "pay the", cut: true });
});

test("equal shares cut the long items and leave the short ones alone", () => {
  assert.equal(equalShares(["one", "a b c d e f g h", "last"], 18), { text: "one; a b c d; last", cut: true });
  assert.equal(equalShares(["one", "two"], 8), { text: "one; two", cut: false });
});

test("a share is the largest that the budget allows", () => {
  assert.is(largestShare([2, 10, 10], 12), 5);
  assert.is(largestShare([10, 10], -4), 0);
  assert.is(largestShare([], 7), 0);
});

const lengths = fc.array(fc.nat(50), { minLength: 1, maxLength: 12 });

test("no larger share fits, for any lengths", () => {
  fc.assert(
    fc.property(lengths, fc.nat(300), (given, budget) => {
      const used = (share: number): number => given.reduce((sum, length) => sum + Math.min(length, share), 0);
      const share = largestShare(given, budget);
      assert.ok(used(share) <= budget);
      assert.ok(used(share + 1) > budget || used(share + 1) === used(share));
    }),
  );
});
