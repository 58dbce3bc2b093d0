import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scoreTable } from "../../../eval/stats/score-table.js";
import { spiegelhalterZ } from "../../../eval/stats/spiegelhalter.js";
import { near } from "../../support/oracle.js";
import { testWithShared } from "../../support/shared.js";
import { calibrationCases } from "./calibration-oracle.js";

const test = suite("eval/stats/spiegelhalter");

test("probabilities of 0, one half and 1 cannot vary", () => {
  assert.is(spiegelhalterZ(scoreTable([0, 0.5, 1], [0, 1, 1])).nullReason, "ZERO_VARIANCE");
  assert.is(spiegelhalterZ(scoreTable([], [])).nullReason, "EMPTY_DENOMINATOR");
});

testWithShared(test, "reference values are met", () => {
  for (const c of calibrationCases()) {
    const found = spiegelhalterZ(scoreTable(c.p, c.y)).value;
    if (c.spiegelhalter_z === null) assert.is(found, null, c.name);
    else near(found, c.spiegelhalter_z, 1e-12, c.name);
  }
});

test.run();
