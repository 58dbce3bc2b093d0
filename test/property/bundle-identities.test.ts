/** Whatever differs between a manifest and the running values is named, alone or together with others. */
import fc from "fast-check";
import {
  type BundleIdentities,
  effectiveIdentities,
  identityDifferences,
} from "../../src/router/start/start-checks.js";
import { assert, test } from "../support/test.js";
import { aCalibration, aCatalog, aPolicy } from "../support/builders.js";
import { retrieverFiles, verifierFiles } from "../support/models.js";

const running = effectiveIdentities(
  { catalog: aCatalog(), calibration: aCalibration(), policy: aPolicy() },
  { retrieverFiles: retrieverFiles(), verifierFiles: verifierFiles() },
);
const names = Object.keys(running) as readonly (keyof BundleIdentities)[];

test("the differences are exactly the changed identities, each with both values", () => {
  const changes = fc.tuple(fc.subarray([...names]), fc.string({ minLength: 1 }));
  fc.assert(
    fc.property(changes, ([changed, suffix]) => {
      const signed = { ...running };
      for (const name of changed) signed[name] = running[name] + suffix;
      assert.equal(
        identityDifferences(signed, running),
        changed.map((name) => `${name}: running ${running[name]}, signed ${signed[name]}`),
      );
    }),
  );
});

test("the identities of the contract are all there", () => {
  const contract = ["catalog", "serializer", "retriever", "verifier", "calibration", "policy", "prefix", "labelOrder"];
  for (const name of [...contract, "topK", "exactEvents", "runtime"]) {
    assert.ok(
      names.some((known) => known === name),
      name,
    );
  }
});
