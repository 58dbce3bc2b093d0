import type { WorkflowId } from "../../../src/documents/primitives.js";
import { Bm25Retriever } from "../../../eval/baselines/bm25.js";
import { answerOfRecord, answerOfRetriever } from "../../../eval/baselines/ranked-answer.js";
import type { ScoredRecord } from "../../../src/documents/scored-record.js";
import { assert, test } from "../../support/test.js";
import { aScoredCandidate, logitsOf, someWorkflows } from "../../support/builders.js";

const identity = { family: "identity", slope: 1, intercept: 0 } as const;
const refund = "invoices.refund";
const record = (overrides: Partial<ScoredRecord> = {}): ScoredRecord => ({
  id: "row",
  workflow_id: refund as WorkflowId,
  cluster: `workflow:${refund}`,
  fold: "eval",
  population: "unseen_workflow",
  slices: {},
  expected_missing: null,
  candidates: [],
  early_reason: null,
  error_code: null,
  gold_rank: 2,
  ...overrides,
});

test("a run returns the most confident candidate that the caller may use, with the retriever's rank", () => {
  const candidates = [
    aScoredCandidate({ workflow_id: "orders.status", logits: logitsOf(0.9), eligible: false }),
    aScoredCandidate({ workflow_id: "orders.cancel", logits: logitsOf(0.4) }),
    aScoredCandidate({ workflow_id: refund, logits: logitsOf(0.7) }),
  ];
  const { right, goldRank, scope, score } = answerOfRecord(record({ candidates }), identity);
  assert.equal({ right, gold_rank: goldRank, scope }, { right: true, gold_rank: 2, scope: "in_scope" });
  assert.ok(Math.abs(score - 0.7) < 1e-5, String(score));
});

test("a request that ended before any candidate is wrong with the lowest score", () => {
  const { right, score } = answerOfRecord(record({ early_reason: "NO_ELIGIBLE_WORKFLOW", gold_rank: null }), identity);
  assert.equal({ right, score }, { right: false, score: 0 });
});

test("out of scope is never right, and near stays apart from far", () => {
  const outside = { workflow_id: null, gold_rank: null, candidates: [aScoredCandidate({ logits: logitsOf(0.9) })] };
  const near = answerOfRecord(record({ ...outside, population: "near_oos" }), identity);
  const far = answerOfRecord(record({ ...outside, population: "far_oos" }), identity);
  assert.equal([near.scope, far.scope], ["near_oos", "far_oos"]);
  assert.not.ok(near.right || far.right);
});

test("a baseline answers within the allow list and ranks over the whole catalog", async () => {
  const retriever = new Bm25Retriever(someWorkflows());
  const text = "pay the invoice back to my card, and the order";
  const all = await answerOfRetriever(retriever, record(), { text });
  assert.equal([all.right, all.goldRank], [true, 1]);
  const other = await answerOfRetriever(retriever, record(), { text, allowed_workflow_ids: ["orders.status"] });
  assert.equal([other.right, other.goldRank], [false, 1]);
  assert.ok(other.score < all.score);
  const none = await answerOfRetriever(retriever, record(), { text, allowed_workflow_ids: [] });
  assert.equal([none.right, none.score], [false, 0]);
});
