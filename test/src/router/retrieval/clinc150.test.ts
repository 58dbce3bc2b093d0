import { assert, test, testWithShared } from "../../../support/test.js";
import { mean, publishedSeeds, type RetrievalResult, tenExampleRetrieval } from "../../../support/clinc150.js";

testWithShared(
  test,
  "ten examples per workflow: mean top-1 of at least 82.0%, recall@5 of at least 94.5%",
  async () => {
    const results: RetrievalResult[] = [];
    for (const seed of publishedSeeds) results.push(await tenExampleRetrieval(seed));
    const top1 = mean(results.map((result) => result.top1));
    const recallAt5 = mean(results.map((result) => result.recallAt5));
    assert.equal(
      results.map((result) => result.requests),
      publishedSeeds.map(() => 4500),
    );
    assert.ok(top1 >= 0.82, `top-1 ${top1}`);
    assert.ok(recallAt5 >= 0.945, `recall@5 ${recallAt5}`);
  },
);
