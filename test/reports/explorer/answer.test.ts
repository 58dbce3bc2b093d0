import { Script } from "node:vm";
import { answerOf, bytesOfBase64, changedRequests, type ExplorerColumns } from "../../../reports/explorer/answer.js";
import { explorerScript } from "../../../reports/explorer/explorer-script.js";
import { explorerView } from "../../../reports/explorer/explorer-view.js";
import type { Calibration } from "../../../src/documents/calibration.js";
import { aCalibration, anEvaluation } from "../an-evaluation.js";
import { reportedRequestsOf } from "../reported-requests.js";
import { assert, test } from "../../support/test.js";

const requests = reportedRequestsOf(300);
const view = explorerView({ evaluation: anEvaluation(), calibration: aCalibration(), requests });
if (view === null) throw new Error("expected an explorer");
const packed = view.columns;
const columns: ExplorerColumns = {
  confidence: new Float64Array(bytesOfBase64(packed.confidence).buffer),
  flags: bytesOfBase64(packed.flags),
  tier: bytesOfBase64(packed.tier),
};
const inForce = view.thresholds;
const asMeasured = { outOfScopeShare: null };

test("the thresholds in force change no answer and count what was routed", () => {
  const answer = answerOf(columns, { thresholds: inForce, ...asMeasured });
  const routed = requests.filter((request) => request.routed);
  assert.is(answer.changed, 0);
  assert.is(answer.accepted, routed.length);
  assert.is(answer.wrong, routed.filter(({ firstIsRight }) => !firstIsRight).length);
  assert.is(answer.coverage, routed.length / requests.length);
});

test("a moved threshold changes exactly the requests between the two", () => {
  const thresholds = [0.6, ...inForce.slice(1)];
  const between = requests.flatMap(({ tier, confidence }, index) =>
    tier === "low" && confidence >= 0.6 && confidence < 0.85 ? [index] : [],
  );
  assert.ok(between.length > 3);
  assert.equal(changedRequests(columns, thresholds, ""), between);
  assert.is(answerOf(columns, { thresholds, ...asMeasured }).changed, between.length);
});

test("the changes can be filtered by what they become, and every one is listed", () => {
  const thresholds = [0.6, 0.99, ...inForce.slice(2)];
  const all = changedRequests(columns, thresholds, "");
  const kinds = ["declined right", "declined wrong", "routed right", "routed wrong"];
  const parts = kinds.flatMap((kind) => changedRequests(columns, thresholds, kind));
  assert.equal(
    [...parts].sort((a, b) => a - b),
    all,
  );
  for (const index of changedRequests(columns, thresholds, "routed wrong")) {
    assert.equal([requests[index]?.routed, requests[index]?.firstIsRight], [false, false]);
  }
});

test("the command repeats every option of the fit", () => {
  const fit: Calibration["fit"] = {
    target_risk: 0.1,
    languages: null,
    required_tiers: { low: null, medium: null, high: 0.05, critical: null },
    delta: 0.05,
    claim: "fixed-catalog",
    start_errors: [3, 1, 0],
    start_icc: 0.1,
    cross_fit: 8,
    calibrator: "platt",
    out_of_scope_share: 0.2,
    attempt: null,
    left_out: false,
    looser_share: 0.6,
    looser_targets: [],
  };
  const found = explorerView({ evaluation: anEvaluation(), calibration: { ...aCalibration(), fit }, requests });
  assert.is(
    found?.fitOptions,
    " --claim fixed-catalog --target 0.1 --require-tier high=0.05 --delta 0.05 --calibrator platt --start-errors 3,1,0 --start-icc 0.1 --cross-fit 8",
  );
  assert.is(found?.shareOption, " --out-of-scope-share 0.2");
});

test("tiers that abstain route nothing", () => {
  const answer = answerOf(columns, { thresholds: [null, null, null, null], ...asMeasured });
  assert.equal([answer.accepted, answer.coverage, answer.risk], [0, 0, null]);
});

test("the share of the data itself is as measured, and more out of scope raises the risk", () => {
  const share = requests.filter(({ rightWorkflowId }) => rightWorkflowId === null).length / requests.length;
  const at = (outOfScopeShare: number | null) =>
    answerOf(columns, { thresholds: [0.5, 0.5, 0.5, 0.5], outOfScopeShare });
  assert.ok(Math.abs((at(share).risk ?? 0) - (at(null).risk ?? 1)) < 1e-12);
  assert.ok((at(0.8).risk ?? 0) > (at(0.1).risk ?? 1));
});

test("a page without texts holds none, and one with texts holds each", () => {
  assert.is(view.texts, null);
  const named = requests.map((request) => ({ ...request, text: `text of ${request.id}` }));
  const withTexts = explorerView({ evaluation: anEvaluation(), calibration: aCalibration(), requests: named });
  assert.is(withTexts?.texts?.[7], "text of r7");
});

test("the script of the page needs nothing from the module that it was taken from", () => {
  assert.not.match(explorerScript, /\b(?:import|export|require)\b|<\/|https?:/);
  assert.ok(new Script(explorerScript));
});
