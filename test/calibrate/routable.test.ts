import { routableRows } from "../../calibrate/routable.js";
import { assert, test } from "../support/test.js";
import { candidate, record } from "./synthetic-records.js";

const gates = { calibrator: { slope: 1, intercept: 0 }, min_retrieval_score: 0, certified_workflows: null };

test("a right first candidate is a row without error, with the numbers that are compared", () => {
  const rows = routableRows(
    [record("r", [candidate("flow.gold", 2, { risk_tier: "high" }), candidate("flow.b", 0)])],
    gates,
  );
  assert.equal(
    rows.map(({ request, routed, ...row }) => ({ ...row, id: request?.id, routed })),
    [
      {
        id: "r",
        routed: "flow.gold",
        tier: "high",
        confidence: 0.880797,
        error: false,
        outOfScope: false,
        cluster: "workflow:flow.gold",
        language: undefined,
        family: undefined,
        nearCopy: undefined,
      },
    ],
  );
});

test("a workflow without evidence is never routed, as in service", () => {
  const right = record("r", [candidate("flow.gold", 2)]);
  const only = (certifiedWorkflows: readonly string[]) =>
    routableRows([right], { ...gates, certified_workflows: certifiedWorkflows });
  assert.is(only(["flow.gold"]).length, 1);
  assert.equal(only(["flow.a", "flow.z"]), []);
});

test("a wrong first candidate and any candidate of an out-of-scope request are errors", () => {
  const wrong = record("r", [candidate("flow.b", 2)]);
  const outOfScope = record("o", [candidate("flow.gold", 2)], { workflow_id: null, cluster: "group:g" });
  const rows = routableRows([wrong, outOfScope], gates);
  assert.equal(
    rows.map((row) => [row.error, row.outOfScope]),
    [
      [true, false],
      [true, true],
    ],
  );
});

const unroutable = [
  { name: "a text with two wishes", of: record("r", [candidate("flow.gold", 2)], { several: 2 }) },
  { name: "a missing input", of: record("r", [candidate("flow.gold", 2, { missing_inputs: ["case"] })]) },
  { name: "a spent pattern budget", of: record("r", [candidate("flow.gold", 2, { input_timeout: true })]) },
  {
    name: "a better forbidden match",
    of: record("r", [candidate("flow.gold", 2), candidate("flow.s", 3, { eligible: false })]),
  },
  { name: "a retrieval score under the floor", of: record("r", [candidate("flow.gold", 2, { retrieval_score: 0.1 })]) },
  { name: "no candidate", of: record("r", []) },
  { name: "an early end", of: record("r", [], { early_reason: "NO_ELIGIBLE_WORKFLOW" }) },
  { name: "a failed scoring", of: record("r", [candidate("flow.gold", 2)], { error_code: "MODEL_RUN_FAILED" }) },
];
for (const { name, of } of unroutable) {
  test(`${name} is never routed, whatever the thresholds`, () => {
    assert.equal(routableRows([of], { ...gates, min_retrieval_score: 0.2, several_wishes: { threshold: 1 } }), []);
  });
}

test("a request that was routed wrongly before counts as wrong at the larger confidence, even when it is declined now", () => {
  const cured = record("r", [candidate("flow.gold", 2)], { wrong_before: 0.7 });
  const sure = record("s", [candidate("flow.gold", 2)], { wrong_before: 0.95 });
  const declined = record("d", [candidate("flow.gold", 2)], {
    wrong_before: 0.8,
    early_reason: "NO_ELIGIBLE_WORKFLOW",
  });
  const rows = routableRows([cured, sure, declined], gates);
  assert.equal(
    rows.map(({ confidence, error }) => [confidence, error]),
    [
      [0.880797, true],
      [0.95, true],
      [0.880797, true],
    ],
  );
});
