import { promiseLimits } from "../../../calibrate/plan/promise-limits.js";
import { assert, test } from "../../support/test.js";

test("the strictest target is the one that no error at all would support", () => {
  assert.equal(promiseLimits({ workflows: 29, requests: 59 }, 0.05), [
    "This catalog: about 59 requests for certification, enough for at most 5% wrong if no route is wrong; near-copies count as one.",
    "New workflows: about 29 workflows for certification, enough for at most 10% wrong if no route is wrong.",
  ]);
  assert.match(promiseLimits({ workflows: 28, requests: 58 }, 0.05).join(" "), /at most 10% wrong.* at most 15% wrong/);
});

test("too little data is reported, with the minimum that would suffice", () => {
  const [catalog = "", workflows = ""] = promiseLimits({ workflows: 5, requests: 4 }, 0.05);
  assert.match(catalog, /about 4 requests for certification, too few for any target up to 30%; 9 routed ones/);
  assert.match(workflows, /about 5 workflows for certification, too few; 9 are needed for at most 30% wrong/);
});
