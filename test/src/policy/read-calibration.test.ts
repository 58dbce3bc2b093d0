/** Calibration files of every version that was ever signed. The one of version 1 is a demonstration's, with fewer steps. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sha256Hex } from "../../../src/digest/sha256.js";
import { canonicalJson } from "../../../src/digest/canonical-json.js";
import { toSnake } from "../../../src/domain/camel.js";
import { riskTiers } from "../../../src/domain/choices.js";
import { decide } from "../../../src/policy/decide.js";
import { readCalibrationDocument } from "../../../src/policy/read-calibration.js";
import { aCalibration, aScoredCandidate, aClaim } from "../../support/builders.js";
import { packageRoot } from "../../support/package-root.js";
import { throws } from "../../support/rejects.js";

const test = suite("src/policy/read-calibration");

type Wire = Record<string, unknown> & {
  tiers: Record<string, { confidence: number | null; claim: string; message: string }>;
};
const version1 = async (): Promise<Wire> =>
  JSON.parse(await readFile(join(packageRoot, "test", "golden", "calibration-1.json"), "utf8")) as Wire;

const aFit = {
  targetRisk: 0.1,
  requiredTiers: { low: null, medium: null, high: null, critical: 0.05 },
  delta: 0.05,
  claim: "new-workflows",
  startErrors: [3, 1, 0],
  startIcc: 0.1,
  looserTargets: [0.5],
  looserShare: 0.6,
  leftOut: false,
  crossFit: 8,
  calibrator: null,
  outOfScopeShare: 0.2,
  tierMix: null,
  costs: { falseRoute: 5, fallback: 0.2 },
} as const;

test("a file of version 1 keeps its thresholds and the very sentences that were signed", async () => {
  const wire = await version1();
  const calibration = readCalibrationDocument(wire, "calibration.json");
  assert.is(calibration.schemaVersion, 2);
  for (const tier of riskTiers) {
    const signed = wire.tiers[tier];
    assert.is(calibration.tiers[tier].confidence, signed?.confidence);
    const claim = calibration.claims.find(({ scope }) => scope === tier);
    assert.is(claim?.sentence, signed?.confidence === null ? signed.message : signed?.claim);
    assert.is(claim?.certified, signed?.confidence !== null);
  }
  assert.equal(
    calibration.claims.map(({ scope, targetRisk, delta }) => [scope, targetRisk, delta]),
    [
      ["low", 0.35, 0.0125],
      ["medium", 0.3, 0.0125],
      ["high", 0.25, 0.0125],
      ["critical", 0.2, 0.0125],
    ],
  );
  assert.is(calibration.certifiedWorkflows, null);
});

test("a file of version 1 decides as before", async () => {
  const wire = await version1();
  const calibration = readCalibrationDocument({ ...wire, min_retrieval_score: 0 }, "calibration.json");
  const reason = (confidence: number, riskTier: "low" | "high") =>
    decide([aScoredCandidate({ riskTier, confidence })], calibration).reasonCode;
  assert.is(reason(0.9, "high"), "ACCEPTED_HIGH_RISK");
  assert.is(reason(0.6, "high"), "BELOW_RISK_THRESHOLD");
  assert.is(reason(0.99, "low"), "BELOW_RISK_THRESHOLD");
});

test("a file of version 2 comes back as it was written", () => {
  const calibration = aCalibration({ claims: [aClaim()], certifiedWorkflows: ["orders.find", "orders.status"] });
  assert.equal(
    readCalibrationDocument(JSON.parse(canonicalJson(toSnake(calibration))), "calibration.json"),
    calibration,
  );
});

test("certified workflows out of order are refused: decide() searches them by bisection", () => {
  const calibration = aCalibration({ certifiedWorkflows: ["orders.status", "orders.find"] });
  const wire = JSON.parse(canonicalJson(toSnake(calibration))) as unknown;
  assert.match(throws(() => readCalibrationDocument(wire, "c"), "CALIBRATION_INVALID").message, /ascending order/);
});

test("version 3 states the options of its fit, and version 2 has none", () => {
  const stated = JSON.parse(canonicalJson(toSnake(aCalibration({ schemaVersion: 3, fit: aFit })))) as object;
  assert.equal(readCalibrationDocument(stated, "calibration.json").fit, aFit);
  const { fit, ...without } = stated as { readonly fit: unknown };
  for (const wrong of [without, { ...without, schema_version: 2, fit }, { ...stated, schema_version: 4 }]) {
    assert.match(
      throws(() => readCalibrationDocument(wrong, "c"), "SCHEMA_INVALID").message,
      /expected no fit in version 2, fit without background in version 3/,
    );
  }
});

test("version 4 names the background rows of its fit, and version 3 has none", () => {
  const background = { requestsSha256: sha256Hex("requests"), recordsSha256: sha256Hex("records"), rows: 300 };
  const fit = { ...aFit, background };
  const stated = JSON.parse(canonicalJson(toSnake(aCalibration({ schemaVersion: 4, fit })))) as object;
  assert.equal(readCalibrationDocument(stated, "calibration.json").fit?.background, background);
  throws(() => readCalibrationDocument({ ...stated, schema_version: 3 }, "c"), "SCHEMA_INVALID");
});

test("what is of no version, or has fields of another one, is refused", async () => {
  for (const wrong of [null, {}, { schema_version: 3 }, { ...(await version1()), schema_version: 2 }]) {
    throws(() => readCalibrationDocument(wrong, "calibration.json"), "SCHEMA_INVALID");
  }
});

test.run();
