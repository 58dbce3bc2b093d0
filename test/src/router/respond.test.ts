import type { Lineage } from "../../../src/documents/response.js";
import { declineBeforeScoring, decide } from "../../../src/router/policy/decide.js";
import { candidateDetails, type ResponseFacts, toResponse } from "../../../src/router/respond.js";
import { assert, test } from "../../support/test.js";
import { aCalibration, aScoredCandidate, aWorkflow, logitsOf } from "../../support/builders.js";

const lineage: Lineage = {
  model_version: "retriever-1+verifier-1",
  calibration_version: "calibration-1",
  catalog_version: "catalog-1",
  runtime_mode: "development",
};
const facts = (confirmation: string): ResponseFacts => ({
  requestId: "request-1",
  lineage,
  workflows: new Map([["orders.status", aWorkflow({ confirmation })]]),
  latencyMs: 1.23456,
  candidates: null,
  shortlist: null,
  parts: null,
});
const routed = decide({ candidates: [aScoredCandidate()] }, aCalibration());

test("the wire form has the fields of the service's contract, and a place for the shortlist", () => {
  assert.equal(toResponse(routed, facts("never")), {
    request_id: "request-1",
    decision: "ROUTE",
    workflow_id: "orders.status",
    confidence: 0.9,
    reason_code: "ACCEPTED_LOW_RISK",
    missing_inputs: [],
    confirmation_required: false,
    model_version: "retriever-1+verifier-1",
    calibration_version: "calibration-1",
    catalog_version: "catalog-1",
    runtime_mode: "development",
    latency_ms: 1.235,
    candidates: null,
    shortlist: null,
  });
});

test("confirmation is required by any policy word but never, and only with a workflow", () => {
  assert.is(toResponse(routed, facts("always")).confirmation_required, true);
  assert.is(toResponse(routed, facts("required_if_recurring")).confirmation_required, true);
  assert.is(toResponse(routed, facts("never")).confirmation_required, false);
  assert.is(toResponse(declineBeforeScoring("NO_WORKFLOW"), facts("always")).confirmation_required, false);
});

test("CLARIFY keeps workflow, inputs and confirmation", () => {
  const clarify = decide({ candidates: [aScoredCandidate({ missing_inputs: ["city"] })] }, aCalibration());
  const response = toResponse(clarify, facts("always"));
  assert.equal(
    [response.decision, response.workflow_id, response.missing_inputs, response.confirmation_required],
    ["CLARIFY", "orders.status", ["city"], true],
  );
});

test("a decline names no workflow, even when one was scored", () => {
  const declined = decide({ candidates: [aScoredCandidate({ confidence: 0.2 })] }, aCalibration());
  assert.equal([toResponse(declined, facts("never")).workflow_id, declined.confidence], [null, 0.2]);
});

const details = candidateDetails(
  [
    aScoredCandidate({ workflow_id: "second", confidence: 0.3, risk_tier: "high" }),
    aScoredCandidate({ workflow_id: "hidden", eligible: false, confidence: 0.99 }),
    aScoredCandidate({ workflow_id: "first", missing_inputs: ["city"] }),
  ],
  aCalibration(),
);

test("candidate details come in decision order, ranked from 1, and show no ineligible competitor", () => {
  assert.equal(
    details.map(({ workflow_id: workflowId, rank }) => [workflowId, rank]),
    [
      ["first", 1],
      ["second", 2],
    ],
  );
});

test("candidate details carry probabilities, label, confidence and the thresholds of their tier", () => {
  const rounded = details.map((detail) => ({
    ...detail,
    mismatch_score: Math.round(detail.mismatch_score * 1e9) / 1e9,
  }));
  assert.equal(rounded[0], {
    workflow_id: "first",
    rank: 1,
    risk_tier: "low",
    retrieval_score: 0.8,
    executable_score: details[0]?.needs_input_score,
    needs_input_score: details[0]?.needs_input_score,
    mismatch_score: 0.1,
    label: "needs_input",
    confidence: 0.9,
    confidence_threshold: 0.6,
    margin_threshold: 0.1,
    missing_inputs: ["city"],
  });
  assert.ok(Math.abs((details[0]?.needs_input_score ?? 0) - 0.45) < 1e-12);
  assert.equal([rounded[1]?.label, rounded[1]?.confidence_threshold], ["mismatch", 0.8]);
});

test("a match without missing inputs is executable, whatever the model prefers", () => {
  const logits = { ...logitsOf(0.9), needs_input: 5, executable: -5 };
  const [only] = candidateDetails([aScoredCandidate({ logits })], aCalibration());
  assert.is(only?.label, "executable");
  assert.ok((only?.needs_input_score ?? 0) > 0.9);
});

test("logits beyond the range of exp stay probabilities", () => {
  const logits = { mismatch: -2000, needs_input: 900, executable: 2000 };
  const [only] = candidateDetails([aScoredCandidate({ logits })], aCalibration());
  assert.equal([only?.executable_score, only?.mismatch_score, only?.confidence], [1, 0, 1]);
});
