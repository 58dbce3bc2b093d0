import { requireWorkflowsOf } from "../../eval/check-records.js";
import { assert, test, throws } from "../support/test.js";
import { aCandidate, aCatalog, aRecord, aWorkflow } from "../support/score-cases.js";

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
