import { splitKey } from "../../datasets/split-units.js";
import { assert, test, throws } from "../support/test.js";
import { aRequest } from "../support/score-cases.js";

const sliced = aRequest({ slices: { domain: "shop", service: "Shop_1" }, group_id: "g" });
const plain = aRequest({ workflow_id: "orders.find" });
const rows = [sliced, plain, aRequest({ workflow_id: null }), aRequest({ workflow_id: "undotted" })];

test("a domain is the slice, or the workflow id before its dot", () => {
  const key = splitKey("domain", rows);
  assert.equal(rows.map(key), ["shop", "orders", null, null]);
});

test("group and slices are used unchanged; by workflow nothing is joined", () => {
  assert.equal(rows.map(splitKey("group", rows)), ["g", null, null, null]);
  assert.equal(rows.map(splitKey("service", rows)), ["Shop_1", null, null, null]);
  assert.equal(rows.map(splitKey("workflow", rows)), [null, null, null, null]);
});

test("a column that no row has is refused, naming those that there are", () => {
  const { message } = throws(() => splitKey("customer", rows), "USAGE");
  assert.match(message, `no request has the slice "customer"; the slices are domain, service`);
});
