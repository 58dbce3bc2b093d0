import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requireWorkflowsOf } from "../../eval/check-records.js";
import { throws } from "../support/rejects.js";
import { aCandidate, aCatalog, aRecord, aWorkflow } from "../support/score-cases.js";

const test = suite("eval/check-records");
const catalog = aCatalog([aWorkflow(), aWorkflow({ workflow_id: "orders.cancel" })]);

test("records of the catalog pass, out-of-scope ones included", () => {
  requireWorkflowsOf(catalog, [aRecord(), aRecord({ workflow_id: null }), aRecord({ candidates: [] })]);
});

test("a label or a candidate of another catalog is refused by name", () => {
  const label = throws(
    () => requireWorkflowsOf(catalog, [aRecord({ workflow_id: "payments.refund" })]),
    "DOCUMENT_INVALID",
  );
  assert.match(label.message, /1 workflow that is .* payments\.refund/);
  const candidates = [aCandidate({ workflow_id: "payments.pay" })];
  throws(() => requireWorkflowsOf(catalog, [aRecord({ candidates })]), "DOCUMENT_INVALID");
});

test.run();
