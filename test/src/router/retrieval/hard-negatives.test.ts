import fc from "fast-check";
import { bestTexts, textRanks } from "../../../../src/router/retrieval/hard-negatives.js";
import { assert, test } from "../../../support/test.js";

test("the best texts are those of a full sort, equal values by rank", () => {
  const values = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 });
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 45 }), (given, count) => {
      const ranks = Int32Array.from(given, (_, i) => given.length - i);
      const sorted = [...given.keys()].sort((a, b) => (given[b] ?? 0) - (given[a] ?? 0) || b - a);
      const found = bestTexts([...given.keys()], (text) => given[text] ?? 0, ranks, count);
      assert.equal(found, sorted.slice(0, count));
    }),
  );
});

test("texts are ranked by workflow id, then by their place in the workflow", () => {
  assert.equal([...textRanks(Int32Array.of(1, 0), Int32Array.of(0, 2, 5))], [3, 4, 0, 1, 2]);
});
