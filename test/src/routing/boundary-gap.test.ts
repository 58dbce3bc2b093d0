import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { riskTiers } from "../../../src/domain/choices.js";
import { Eligibility } from "../../../src/policy/eligibility.js";
import { boundaryGap } from "../../../src/routing/boundary-gap.js";
import { candidatePositions } from "../../../src/routing/candidates.js";
import { aCatalog, aWorkflow } from "../../support/builders.js";
import { rankScores } from "../../support/retrieval.js";

const test = suite("src/routing/boundary-gap");

const ids = ["a", "b", "c", "d", "e"];
interface Case {
  readonly scores: readonly number[];
  readonly eligible: readonly string[];
  readonly topK: number;
  readonly sentinels: number;
}

function chosen({ scores, eligible, topK, sentinels }: Case) {
  const ranking = rankScores(ids.slice(0, scores.length), Float64Array.from(scores));
  const catalog = aCatalog({ workflows: ranking.workflowIds.map((workflowId) => aWorkflow({ workflowId })) });
  const mask = new Eligibility(catalog, riskTiers).of({ allowedWorkflowIds: eligible, blockedWorkflowIds: [] });
  const positions = candidatePositions(ranking, mask, { topK, sentinels });
  return { positions, gap: boundaryGap(ranking, positions, mask, sentinels) };
}

const near = (found: number | null, expected: number): void =>
  assert.ok(found !== null && Math.abs(found - expected) < 1e-12, `found ${found}, expected ${expected}`);

test("between the last eligible candidate and the first that is left out", () => {
  near(chosen({ scores: [0.9, 0.7, 0.4], eligible: ["a", "b", "c"], topK: 2, sentinels: 0 }).gap, 0.3);
});

test("there is no edge when every workflow is a candidate", () => {
  assert.is(chosen({ scores: [0.9, 0.7], eligible: ["a", "b"], topK: 2, sentinels: 3 }).gap, null);
});

test("between a sentinel and the last eligible candidate that it outranks", () => {
  near(chosen({ scores: [0.9, 0.7, 0.65], eligible: ["a", "c"], topK: 8, sentinels: 1 }).gap, 0.05);
});

test("between the last eligible candidate and a workflow that is just no sentinel", () => {
  near(chosen({ scores: [0.9, 0.7, 0.5], eligible: ["a", "b"], topK: 8, sentinels: 1 }).gap, 0.2);
  assert.is(chosen({ scores: [0.9, 0.7, 0.5], eligible: ["a", "b"], topK: 8, sentinels: 0 }).gap, null);
});

test("between two workflows of which one is a sentinel and the other is one too many", () => {
  near(chosen({ scores: [0.9, 0.82, 0.5], eligible: ["c"], topK: 8, sentinels: 1 }).gap, 0.08);
});

test("moving every score by less than half of the gap leaves the candidates as they are", () => {
  const tenths = fc.integer({ min: 0, max: 20 }).map((twentieths) => twentieths / 20);
  const drawn = fc.record({
    scores: fc.array(tenths, { minLength: 5, maxLength: 5 }),
    eligible: fc.subarray(ids, { minLength: 1 }),
    topK: fc.integer({ min: 1, max: 4 }),
    sentinels: fc.integer({ min: 0, max: 3 }),
  });
  const shares = fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(drawn, shares, (given, percents) => {
      const { positions, gap } = chosen(given);
      fc.pre(gap === null || gap > 0);
      const reach = Math.min(gap ?? 1, 1) / 2;
      const scores = given.scores.map((score, i) => score + (reach * (percents[i] ?? 0)) / 100);
      const moved = chosen({ ...given, scores }).positions;
      assert.equal(new Set(moved), new Set(positions));
    }),
    { numRuns: 2000 },
  );
});

test.run();
