/** A calibration document comes back as it was written, or is refused with what is wrong. */
import { sha256Hex } from "../../../../src/base/sha256.js";
import { canonicalJson } from "../../../../src/base/canonical-json.js";
import type { Calibration } from "../../../../src/documents/calibration.js";
import { readCalibrationDocument } from "../../../../src/router/policy/read-calibration.js";
import { assert, test, throws } from "../../../support/test.js";
import { aCalibration, aClaim, aFit } from "../../../support/builders.js";

const written = (calibration: Calibration): object => JSON.parse(canonicalJson(calibration)) as object;

test("a document comes back as it was written", () => {
  const background = { requests_sha256: sha256Hex("requests"), records_sha256: sha256Hex("records"), rows: 300 };
  const ids = ["orders.find", "orders.status"];
  for (const fit of [aFit, { ...aFit, background }]) {
    const calibration = aCalibration({ claims: [aClaim()], certified_workflows: ids, fit });
    assert.equal(readCalibrationDocument(written(calibration), "calibration.json"), calibration);
  }
});

test("certified workflows out of order are refused: decide() searches them by bisection", () => {
  const document = written(aCalibration({ certified_workflows: ["orders.status", "orders.find"] }));
  assert.match(throws(() => readCalibrationDocument(document, "c"), "CALIBRATION_INVALID").message, /ascending order/);
});

test("a document of another version, or without the options of its fit, is refused", () => {
  const { fit, ...without } = written(aCalibration()) as { readonly fit: unknown };
  for (const wrong of [null, {}, { ...without, fit, schema_version: 2 }, without]) {
    throws(() => readCalibrationDocument(wrong, "calibration.json"), "DOCUMENT_INVALID");
  }
});
