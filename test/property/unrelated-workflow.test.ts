/** A workflow that has nothing to do with a request does not make it less ambiguous. */
import fc from "fast-check";
import type { Workflow } from "../../src/documents/catalog.js";
import { riskTiers } from "../../src/documents/choices.js";
import type { ScoredCandidate } from "../../src/documents/decision.js";
import { decide } from "../../src/router/policy/decide.js";
import { assert, test } from "../support/test.js";
import { aCalibration, aCatalog, aPolicy, aRouteRequest, aScoredCandidate, aWorkflow } from "../support/builders.js";
import { testModels } from "../support/models.js";
import { ruleRouter } from "../support/rule-router.js";

const probability = fc.integer({ min: 1, max: 999 }).map((thousandths) => thousandths / 1000);
const candidate = fc.record({
  confidence: probability,
  risk_tier: fc.constantFrom(...riskTiers),
  eligible: fc.boolean(),
  retrieval_score: probability,
  missing_inputs: fc.constantFrom([], ["city"]),
});
const candidates = fc
  .array(candidate, { maxLength: 6 })
  .map((list) => list.map((fields, index) => aScoredCandidate({ ...fields, workflow_id: `workflow.${index}` })));

test("one more candidate that is ranked below the best never turns an abstention into a route elsewhere", () => {
  fc.assert(
    fc.property(candidates, candidate, (list, fields) => {
      const before = decide({ candidates: list }, aCalibration());
      fc.pre(before.decision === "LLM_REQUIRED");
      const best = Math.max(...list.map((one) => one.retrieval_score));
      const retrievalScore = Math.min(fields.retrieval_score, best);
      const added: ScoredCandidate = aScoredCandidate({
        ...fields,
        retrieval_score: retrievalScore,
        workflow_id: "workflow.added",
      });
      const after = decide({ candidates: [...list, added] }, aCalibration());
      if (after.decision !== "LLM_REQUIRED") assert.is(after.workflow_id, "workflow.added");
    }),
    { numRuns: 2000 },
  );
});

const twin = (workflowId: string): Workflow =>
  aWorkflow({
    workflow_id: workflowId,
    name: "Block a card",
    description: "Blocks a card that was lost.",
    capabilities: ["Block a lost card"],
    examples: ["block my card", "I lost my card"],
  });
const unrelatedWords = ["zebra", "violin", "glacier", "pepper", "lantern", "orbit"];
const unrelated = (words: readonly string[], index: number): Workflow =>
  aWorkflow({
    workflow_id: `other.w${index}`,
    name: words.join(" "),
    description: words.join(" "),
    capabilities: [],
    examples: [words.join(" ")],
  });

test("twins stay ambiguous for a real router, whatever unrelated workflows are in the catalog", async () => {
  const phrases = fc.array(fc.shuffledSubarray(unrelatedWords, { minLength: 2 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(phrases, fc.integer({ min: 2, max: 4 }), async (others, topK) => {
      const catalog = aCatalog({ workflows: [twin("card.block"), twin("card.stop"), ...others.map(unrelated)] });
      const router = ruleRouter(await testModels(catalog), { catalog, policy: aPolicy({ top_k: topK }) });
      try {
        for (const text of ["block my card", "I lost my card", "my card is lost, block it"]) {
          const { decision, reason_code: reasonCode } = await router.route(aRouteRequest({ text }));
          assert.equal([decision, reasonCode], ["LLM_REQUIRED", "AMBIGUOUS_CANDIDATES"]);
        }
      } finally {
        await router.close();
      }
    }),
    { numRuns: 6, endOnFailure: true },
  );
});
