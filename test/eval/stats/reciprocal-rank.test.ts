import { meanReciprocalRank } from "../../../eval/metrics/retrieval.js";
import { assert, near, oracle, test, testWithShared } from "../../support/test.js";

test("missing answers count 0, and zero queries leave it undefined", () => {
  near(meanReciprocalRank(new Map([[1, 1]]), 4).value, 0.25, 1e-12);
  assert.is(meanReciprocalRank(new Map(), 4).value, 0);
  assert.is(meanReciprocalRank(new Map(), 0).null_reason, "EMPTY_DENOMINATOR");
});

interface RetrievalOracle {
  readonly queries: readonly { readonly gold: readonly string[]; readonly ranked: readonly string[] }[];
  readonly result: Readonly<Record<string, number>>;
}

testWithShared(test, "reference means within 1, 2, 3, 5 and 10 are met", () => {
  const { queries, result } = oracle<RetrievalOracle>("retrieval.json");
  const counts = new Map<number, number>();
  for (const { gold, ranked } of queries) {
    const rank = ranked.findIndex((id) => gold.includes(id)) + 1;
    if (rank > 0) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  }
  for (const k of [1, 2, 3, 5, 10]) {
    near(meanReciprocalRank(counts, queries.length, k).value, result[`mrr@${k}`] ?? Number.NaN, 1e-12);
  }
});
