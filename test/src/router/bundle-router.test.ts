/** Building a production router from a verified bundle: what it refuses, and that what it builds serves. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type VerifiedBundle, verifyBundle } from "../../../src/trust/verify/verify-bundle.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import { defaultPolicy } from "../../../src/documents/policy.js";
import type { Manifest } from "../../../src/documents/signed.js";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import { createBundleRouter } from "../../../src/router/bundle-router.js";
import { assert, rejects, test } from "../../support/test.js";
import { someWorkflows, aCalibration, aRouteRequest, aTier } from "../../support/builders.js";
import { testEnvironment, testNow, testTrustBytes } from "../../support/builders-artifacts.js";
import { writeServableBundle } from "../../support/servable-bundle.js";

let folder: string;
let verified: VerifiedBundle;
test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-bundle-router-"));
  await writeServableBundle(join(folder, "bundle"));
  verified = await verify();
});
test.after(() => rmSync(folder, { recursive: true }));

function verify(): Promise<VerifiedBundle> {
  return verifyBundle({
    directory: join(folder, "bundle"),
    trustPolicyBytes: testTrustBytes(),
    environment: testEnvironment,
    now: testNow,
  });
}

const build = (bundle: VerifiedBundle, clock: () => Date = () => testNow) =>
  createBundleRouter(bundle, {
    workers: 1,
    clock,
    now: () => performance.now(),
    verifyAgain: verify,
    revocationFile: null,
  });

const request = aRouteRequest({
  catalog_version: "catalog-1",
  allowed_workflow_ids: someWorkflows().map((workflow) => workflow.workflow_id),
});

test("an approved bundle serves a complete production request", async () => {
  const router = await build(verified);
  try {
    assert.equal(router.integrityProblems(), []);
    assert.equal([router.bundleId, router.lineage.runtime_mode], [verified.bundleId, "production"]);
    const answer = await router.route(request);
    assert.equal([answer.reason_code, answer.workflow_id], ["ACCEPTED_LOW_RISK", "orders.status"]);
    assert.is((await router.route({ ...request, debug: true })).candidates, null);
    const byEvent = await router.route({ ...request, event_type: "order.asked" });
    assert.is(byEvent.reason_code, "ACCEPTED_LOW_RISK");
  } finally {
    await router.close();
  }
});

test("a bundle past its end date is not ready, and answers RUNTIME_INTEGRITY_FAILURE", async () => {
  let now = testNow;
  const router = await build(verified, () => now);
  try {
    assert.equal(router.integrityProblems(), []);
    now = new Date(verified.end.at);
    assert.is(router.integrityProblems().length, 1);
    const { decision, reason_code: reasonCode, confidence } = await router.route(request);
    assert.equal([decision, reasonCode, confidence], ["LLM_REQUIRED", "RUNTIME_INTEGRITY_FAILURE", 0]);
  } finally {
    await router.close();
  }
});

const manifestWith = (change: Partial<Manifest>) => (bundle: VerifiedBundle) => ({
  ...bundle,
  manifest: { ...bundle.manifest, ...change },
});

const readingColumns: ReturnType<typeof aCalibration> = {
  ...aCalibration(),
  calibrator: {
    family: "verifier-features",
    intercept: 0,
    weights: { logit: 1, margin: 0, retrieval: 0, entropy: 0, agreement: 0 },
    columns: [{ name: "score", weight: 1 }],
    fitted_requests: 100,
    fitted_errors: 10,
  },
};

const refusals: readonly {
  readonly name: string;
  readonly change: (bundle: VerifiedBundle) => VerifiedBundle;
  readonly code: ErrorCode;
  readonly says: RegExp;
}[] = [
  {
    name: "a manifest with the exact-event setting the other way",
    change: manifestWith({ exact_events: { enabled: true, allowed_tiers: ["low"] } }),
    code: "IDENTITY_MISMATCH",
    says: /exactEvents: running/,
  },
  {
    name: "a calibration that weighs columns which the verifier does not read",
    change: (bundle) => ({ ...bundle, calibrationBytes: canonicalBytes(readingColumns) }),
    code: "CALIBRATION_INVALID",
    says: /columns of the calibration differ from those of the verifier linear-1/,
  },
  {
    name: "a manifest that differs in several identities, all of them named",
    change: manifestWith({ top_k: 9, label_order: ["executable"], prefix: { query: "q: ", document: "" } }),
    code: "IDENTITY_MISMATCH",
    says: /prefix: .*labelOrder: .*topK: /,
  },
  {
    name: "a calibration whose thresholds fall as the risk rises",
    change: (bundle) => {
      const calibration = aCalibration({ tiers: { ...aCalibration().tiers, critical: aTier(0.1, 0.1) } });
      return { ...bundle, calibrationBytes: canonicalBytes(calibration) };
    },
    code: "CALIBRATION_INVALID",
    says: /falls to 0.1 in tier critical/,
  },
  {
    name: "a policy of top-K 0",
    change: (bundle) => ({ ...bundle, policyBytes: canonicalBytes({ ...defaultPolicy, top_k: 0 }) }),
    code: "DOCUMENT_INVALID",
    says: /\/top_k/,
  },
  {
    name: "golden decisions that the models do not reproduce",
    change: (bundle) => ({
      ...bundle,
      goldenBytes: Buffer.from(bundle.goldenBytes.toString("utf8").replace("ACCEPTED_LOW_RISK", "NO_WORKFLOW")),
    }),
    code: "WARMUP_FAILED",
    says: /golden decisions differ/,
  },
];

for (const { name, change, code, says } of refusals) {
  test(`${name}: refused at the start`, async () => {
    assert.match((await rejects(build(change(verified)), code)).message, says);
  });
}
