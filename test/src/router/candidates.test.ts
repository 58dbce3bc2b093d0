import fc from "fast-check";
import { unbounded } from "../../../src/documents/run-scope.js";
import { compileInputPatterns } from "../../../src/router/inputs/input-patterns.js";
import { findRequiredInputs } from "../../../src/router/inputs/resolve.js";
import { riskTiers } from "../../../src/documents/choices.js";
import { Eligibility } from "../../../src/router/policy/eligibility.js";
import { candidatePositions, scoredCandidates } from "../../../src/router/candidates.js";
import { bestPositions } from "../../../src/router/retrieval/best-positions.js";
import type { FeatureRows } from "../../../src/router/verification/verifier.js";
import { assert, test } from "../../support/test.js";
import { aCatalog, anInput, aWorkflow } from "../../support/builders.js";
import { rankScores } from "../../support/retrieval.js";

const ids = ["a", "b", "c", "d", "e", "f"];
/** Ranked a, b, c, d, e, f although the index order, that of the ids, is the reverse. */
const reversed = [...ids].reverse();
const idOf = (name: string): string => `${reversed.indexOf(name)}.${name}`;
const ranking = rankScores(reversed.map(idOf), Float64Array.of(1, 2, 3, 4, 5, 6));
const catalog = aCatalog({ workflows: ids.map((name) => aWorkflow({ workflow_id: idOf(name) })) });
const eligibility = new Eligibility(catalog, riskTiers);
const eligibleOf = (names: readonly string[]) =>
  eligibility.of({ allowed_workflow_ids: names.map(idOf), blocked_workflow_ids: [] });
const chosen = (eligible: readonly string[], topK: number, competitors: number, known = 0): readonly string[] =>
  candidatePositions(
    ranking,
    eligibleOf(eligible),
    { top_k: topK, ineligible_competitors: competitors },
    bestPositions(ranking, known),
  ).map((p) => ranking.workflowIds[p]?.slice(2) ?? "");

const rows: readonly {
  readonly name: string;
  readonly eligible: readonly string[];
  readonly topK: number;
  readonly competitors: number;
  readonly expected: readonly string[];
}[] = [
  { name: "the best eligible ones", eligible: ids, topK: 3, competitors: 3, expected: ["a", "b", "c"] },
  { name: "fewer eligible than top-K", eligible: ["b", "e"], topK: 8, competitors: 0, expected: ["b", "e"] },
  {
    name: "ineligible competitors that outrank an eligible one, in ranking order",
    eligible: ["c", "e"],
    topK: 2,
    competitors: 3,
    expected: ["a", "b", "c", "d", "e"],
  },
  { name: "the best ineligible competitors only", eligible: ["e"], topK: 1, competitors: 2, expected: ["a", "b", "e"] },
  { name: "no ineligible competitors", eligible: ["c", "e"], topK: 2, competitors: 0, expected: ["c", "e"] },
  { name: "none below the last eligible one", eligible: ["a", "b"], topK: 2, competitors: 3, expected: ["a", "b"] },
  { name: "none below the last of top-K", eligible: ["a", "d", "f"], topK: 1, competitors: 3, expected: ["a"] },
  { name: "nothing eligible, nothing chosen", eligible: [], topK: 3, competitors: 3, expected: [] },
];

for (const { name, eligible, topK, competitors, expected } of rows) {
  test(name, () => assert.equal(chosen(eligible, topK, competitors), expected));
}

test("any eligible set: its top-K, with a bounded number of ineligible competitors, each above an eligible candidate", () => {
  const limits = fc.tuple(fc.subarray(ids), fc.integer({ min: 1, max: 7 }), fc.integer({ min: 0, max: 4 }), fc.nat(6));
  fc.assert(
    fc.property(limits, ([eligible, topK, competitors, known]) => {
      const found = chosen(eligible, topK, competitors, known);
      const allowed = found.filter((id) => eligible.includes(id));
      assert.equal(allowed, eligible.slice(0, topK));
      assert.equal(found, [...found].sort());
      const ineligible = ids.filter((id) => !eligible.includes(id) && id < (allowed.at(-1) ?? ""));
      assert.equal(
        found.filter((id) => !eligible.includes(id)),
        ineligible.slice(0, competitors),
      );
    }),
  );
});

const number = anInput({ pattern: "order (?P<value>[0-9]+)" });
const workflows = ["a", "b"].map((workflowId) =>
  aWorkflow({ workflow_id: workflowId, risk_tier: workflowId === "a" ? "critical" : "low", required_inputs: [number] }),
);
const logits = [
  { mismatch: 0, needs_input: 1, executable: 2 },
  { mismatch: 3, needs_input: 4, executable: 5 },
];
const pairCatalog = aCatalog({ workflows });
const compiled = compileInputPatterns(pairCatalog);
const ofPair = new Eligibility(pairCatalog, riskTiers);
interface Circumstances {
  readonly features?: FeatureRows | null;
  readonly context?: Readonly<Record<string, unknown>>;
}
const join = (text: string, eligible: readonly string[], { features = null, context = {} }: Circumstances = {}) =>
  scoredCandidates(
    {
      positions: [0, 1],
      retrievalScores: [0.9, 0.4],
      logits,
      features: features?.values ?? null,
      patterns: findRequiredInputs(workflows, text, compiled, unbounded),
    },
    {
      active: workflows,
      featureNames: features?.names ?? null,
      eligible: ofPair.of({ allowed_workflow_ids: eligible, blocked_workflow_ids: [] }),
      context,
    },
  );

test("a candidate joins score, logits, and what the catalog says", () => {
  assert.equal(join("order 12", ["a", "b"])[0], {
    workflow_id: "a",
    risk_tier: "critical",
    eligible: true,
    retrieval_score: 0.9,
    logits: logits[0],
    missing_inputs: [],
    input_timeout: false,
  });
  assert.equal(join("my order", ["a", "b"])[1]?.missing_inputs, ["order_number"]);
});

test("what the verifier read goes to the first eligible candidate by its logits, and to no other", () => {
  const features = { names: ["x", "y"], values: Float32Array.of(0.1, 2, 0.3, 4) };
  const first = (eligible: readonly string[]) =>
    join("order 12", eligible, { features }).map((candidate) => candidate.features?.values ?? null);
  assert.equal(first(["a", "b"]), [[0.1, 2].map(Math.fround), null]);
  assert.equal(first(["b"]), [null, [0.3, 4].map(Math.fround)]);
  assert.equal(first([]), [null, null]);
  assert.equal(join("order 12", ["b"], { features })[1]?.features?.names, ["x", "y"]);
});

test("inputs of an ineligible competitor are not looked for", () => {
  const [competitor, allowed] = join("my order", ["b"]);
  assert.equal([competitor?.eligible, competitor?.missing_inputs], [false, []]);
  assert.equal([allowed?.eligible, allowed?.missing_inputs], [true, ["order_number"]]);
});

test("a value of the context needs no pattern", () => {
  const [first, second] = join("my order", ["a", "b"], { context: { order_number: 12 } });
  assert.equal([first?.missing_inputs, second?.missing_inputs], [[], []]);
});
