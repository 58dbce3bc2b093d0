import { promiseChanges } from "../../../release/page/release-differences.js";
import type { Calibration } from "../../../src/documents/calibration.js";
import { aClaim } from "../../support/builders.js";
import { assert, test } from "../../support/test.js";

const side = (claims: Calibration["claims"], targetMiss: number | null) =>
  ({
    claims,
    shortlist: targetMiss === null ? undefined : { certified: true, target_miss: targetMiss },
  }) as unknown as Pick<Calibration, "claims" | "shortlist">;

test("a looser, a lost and a new promise are named; the same promises are not", () => {
  const before = side([aClaim({ target_risk: 0.05 }), aClaim({ scope: "high", target_risk: 0.02 })], 0.05);
  const now = side([aClaim({ target_risk: 0.1 }), aClaim({ scope: "high", certified: false })], 0.1);
  assert.equal(promiseChanges(before, before), []);
  assert.equal(promiseChanges(before, now), [
    "overall: at most 5% wrong before, at most 10% wrong now",
    "tier high: at most 2% wrong before, not certified now",
    "shortlists: at most 5% without the right workflow before, at most 10% without the right workflow now",
  ]);
  assert.equal(
    promiseChanges(side([aClaim({ target_risk: 0.05 })], null), side([aClaim({ target_risk: 0.05 })], 0.1)),
    ["shortlists: no promise before, at most 10% without the right workflow now"],
  );
});
