import { suite } from "uvu";
import * as assert from "uvu/assert";
import { evaluationBytes } from "../../../eval/evaluation-document.js";
import { evaluateRecords } from "../../../eval/metrics/evaluate.js";
import { guardOutcomes, ratesOfOutcomes } from "../../../eval/guard-rates.js";
import type { Sha256 } from "../../../src/digest/sha256.js";
import { toCamel } from "../../../src/domain/camel.js";
import type { GuardEvaluation } from "../../../src/domain/evaluation.js";
import { openEndedEn1 } from "../../../workbench/evaluation/guards/open-ended-en-1.js";
import { guardsAsSigned } from "../../../workbench/reproduction/guards-as-signed.js";
import { record } from "../../calibrate/synthetic-records.js";

const test = suite("workbench/reproduction/guards-as-signed");

const records = [record("a", []), record("b", [])];
const rates = ratesOfOutcomes(
  records,
  guardOutcomes(records, () => "recommend me something", [{ guard: toCamel(openEndedEn1), enabled: true }]),
);
const without = rates.map(({ stoppedSha256: _left, ...guard }) => guard);

function signedWith(guards: readonly GuardEvaluation[]): Buffer {
  const runSha256 = "a".repeat(64) as Sha256;
  const evaluation = evaluateRecords({ records, fold: "all", runSha256, topK: 3, calibration: null, resamples: 0 });
  return evaluationBytes({ ...evaluation, detail: { ...evaluation.detail, guards } });
}

test("the digest of stopped ids is derived where the signed evaluation states it, and only there", () => {
  assert.ok(rates.every(({ stoppedSha256 }) => stoppedSha256 !== undefined));
  assert.equal(guardsAsSigned(rates, signedWith(rates)), rates);
  assert.equal(guardsAsSigned(rates, signedWith(without)), without);
});

test.run();
