import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requireWorkflowsOf } from "../../eval/check-records.js";
import { throws } from "../support/rejects.js";
import { aCandidate, aCatalog, aRecord, aWorkflow } from "../support/score-cases.js";

const test = suite("eval/check-records");
const catalog = aCatalog([aWorkflow(), aWorkflow({ workflowId: "orders.cancel" })]);

test("records of the catalog pass, out-of-scope ones included", () => {
  requireWorkflowsOf(catalog, [aRecord(), aRecord({ workflowId: null }), aRecord({ candidates: [] })]);
});

test("a label or a candidate of another catalog is refused by name", () => {
  const label = throws(
    () => requireWorkflowsOf(catalog, [aRecord({ workflowId: "payments.refund" })]),
    "DATASET_INVALID",
  );
  assert.match(label.message, /1 workflow that is .* payments\.refund/);
  const candidates = [aCandidate({ workflowId: "payments.pay" })];
  throws(() => requireWorkflowsOf(catalog, [aRecord({ candidates })]), "DATASET_INVALID");
});

test.run();
