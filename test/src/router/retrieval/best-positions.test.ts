import fc from "fast-check";
import { bestPositions, idRanksOf, rankOf } from "../../../../src/router/retrieval/best-positions.js";
import { assert, test } from "../../../support/test.js";
import { rankedIds, rankScores } from "../../../support/retrieval.js";

/** Scores with many ties; ids in another order. */
const anyRanking = fc
  .array(fc.integer({ min: -3, max: 3 }), { maxLength: 40 })
  .map((values) => ({ values, ids: values.map((_, i) => `id-${(i * 17) % 41}`) }));

/** All positions, sorted. */
function sorted(ids: readonly string[], values: readonly number[]): readonly number[] {
  return [...ids.keys()].sort((a, b) => {
    const difference = (values[b] ?? 0) - (values[a] ?? 0);
    return difference === 0 ? ((ids[a] ?? "") < (ids[b] ?? "") ? -1 : 1) : difference;
  });
}

test("equal scores are ordered by id, whatever their position", () => {
  const ranking = rankScores(["c", "d", "a", "b"], Float64Array.of(0.5, 0.9, 0.5, 0.5));
  assert.equal(rankedIds(ranking), ["d", "a", "b", "c"]);
});

test("ids are ranked by code units, as sorting them does", () => {
  assert.equal(idRanksOf(["b", "B", "a.10", "a.9", "é"]), Int32Array.of(3, 0, 1, 2, 4));
});

test("any count of any accepted positions: what a full sort gives", () => {
  const anyCase = fc.tuple(anyRanking, fc.integer({ min: 0, max: 45 }), fc.integer({ min: 1, max: 4 }));
  fc.assert(
    fc.property(anyCase, ([{ ids, values }, count, every]) => {
      const ranking = rankScores(ids, Float64Array.from(values));
      const accepts = (position: number): boolean => position % every === 0;
      const expected = sorted(ids, values).filter(accepts).slice(0, count);
      assert.equal(bestPositions(ranking, count, accepts), expected);
    }),
  );
});

test("the order of the index changes no rank", () => {
  fc.assert(
    fc.property(anyRanking, ({ ids, values }) => {
      const forwards = rankScores(ids, Float64Array.from(values));
      const backwards = rankScores([...ids].reverse(), Float64Array.from([...values].reverse()));
      assert.equal(rankedIds(backwards), rankedIds(forwards));
    }),
  );
});

test("the rank of a position is its place in a full sort", () => {
  fc.assert(
    fc.property(anyRanking, ({ ids, values }) => {
      const ranking = rankScores(ids, Float64Array.from(values));
      const ranks = sorted(ids, values).map((position) => rankOf(ranking, position));
      assert.equal(ranks, [...ids.keys()]);
    }),
  );
});
