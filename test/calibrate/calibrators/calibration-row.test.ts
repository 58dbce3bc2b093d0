import type { WorkflowId } from "../../../src/documents/primitives.js";
import { calibrationRows } from "../../../calibrate/calibrators/calibration-row.js";
import { candidate, record } from "../synthetic-records.js";
import { assert, near, test } from "../../support/test.js";

test("the first eligible candidate is judged, by logit, then retrieval score, then id", () => {
  const [row] = calibrationRows([
    record("r1", [
      candidate("flow.competitor", 9, { eligible: false }),
      candidate("flow.other", 2, { retrieval_score: 0.1 }),
      candidate("flow.gold", 2, { retrieval_score: 0.2 }),
    ]),
  ]);
  assert.is(row?.right, true);
  near(row?.logit ?? null, 2, 1e-9);
});

test("scores beyond the last digit of a confidence still decide which candidate is first", () => {
  const [row] = calibrationRows([
    record("r1", [candidate("flow.other", 40, { retrieval_score: 0.9 }), candidate("flow.gold", 41)]),
  ]);
  assert.is(row?.right, true);
});

test("an out-of-scope request has no right candidate", () => {
  const outOfScope = record("r1", [candidate("flow.gold", 2)], { workflow_id: null, cluster: "group:g" });
  assert.is(calibrationRows([outOfScope])[0]?.right, false);
});

test("failed requests and requests without an eligible candidate give no row", () => {
  const rows = calibrationRows([
    record("r1", [candidate("flow.gold", 1)], { error_code: "MODEL_RUN_FAILED" }),
    record("r2", []),
    record("r3", [candidate("flow.gold", 1, { eligible: false })]),
  ]);
  assert.equal(rows, []);
});

test("a declared share reweights the out-of-scope rows and keeps the total", () => {
  const records = [
    ...["a", "b", "c"].map((id) => record(id, [candidate("flow.gold", 1)])),
    record("o", [candidate("flow.gold", 1)], { workflow_id: null, cluster: "group:g" }),
  ];
  const weights = calibrationRows(records, { outOfScopeShare: 0.1 }).map((row) => row.weight);
  near(weights[0] ?? null, (0.9 * 4) / 3, 1e-12);
  near(weights[3] ?? null, 0.4, 1e-12);
  near(
    weights.reduce((a, b) => a + b, 0),
    4,
    1e-12,
  );
});

test("background rows weigh what their number says, at most as much as the labelled rows out of scope", () => {
  const rows = (count: number, workflowId: string | null) =>
    Array.from({ length: count }, (_, i) =>
      record(`${workflowId}-${count}-${i}`, [candidate("flow.gold", 1)], {
        workflow_id: workflowId as WorkflowId | null,
      }),
    );
  const weightsOf = (labelled: number, background: number) => {
    const options = { outOfScopeShare: 0.2, background: rows(background, null) };
    const weights = calibrationRows([...rows(40, "flow.gold"), ...rows(labelled, null)], options).map((r) => r.weight);
    const sum = (from: number, to?: number) => weights.slice(from, to).reduce((a, b) => a + b, 0) / sum40(weights);
    return [sum(40, 40 + labelled), sum(40 + labelled)].map((share) => share.toFixed(4));
  };
  const sum40 = (weights: readonly number[]) => weights.slice(0, 40).reduce((a, b) => a + b, 0);
  assert.equal(weightsOf(10, 30), ["0.1250", "0.1250"]);
  assert.equal(weightsOf(10, 10), ["0.1250", "0.1250"]);
  assert.equal(weightsOf(30, 10), ["0.1875", "0.0625"]);
  assert.equal(weightsOf(0, 10), ["0.0000", "0.2500"]);
});

test("without a share, or without out-of-scope rows, every weight is 1", () => {
  const records = [record("a", [candidate("flow.gold", 1)])];
  assert.is(calibrationRows(records)[0]?.weight, 1);
  assert.is(calibrationRows(records, { outOfScopeShare: 0.3 })[0]?.weight, 1);
});
