import { promiseLimits } from "../../../calibrate/plan/promise-limits.js";
import { assert, test } from "../../support/test.js";

test("the strictest target is the one that no error at all would support", () => {
  assert.equal(promiseLimits({ workflows: 29, requests: 59 }, 0.05), [
    "This catalog: about 59 requests for certification, which can support 5% at best, if none is routed wrong; near-copies count as one.",
    "New workflows: about 29 workflows for certification, which can support 10% at best.",
  ]);
  assert.match(promiseLimits({ workflows: 28, requests: 58 }, 0.05).join(" "), /10% at best.* 15% at best/);
});

test("too little data is reported, with the minimum that would suffice", () => {
  const [catalog = "", workflows = ""] = promiseLimits({ workflows: 5, requests: 4 }, 0.05);
  assert.match(catalog, /about 4 requests for certification, too few for any target up to 30%; 9 routed ones/);
  assert.match(workflows, /about 5 workflows for certification, too few; 9 are needed for 30%/);
});
