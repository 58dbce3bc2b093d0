import type { Golden } from "../../../src/documents/signed.js";
import { checkGolden, goldenRequest, parseGolden } from "../../../src/router/check-golden.js";
import type { LoadedModels } from "../../../src/router/load-models.js";
import { BundleRouter } from "../../../src/router/router.js";
import { assert, rejects, test, throws } from "../../support/test.js";
import { aCalibration, aCatalog, aPolicy } from "../../support/builders.js";
import { testModels } from "../../support/models.js";

let models: LoadedModels;
let router: BundleRouter;

/** @param now  monotonic milliseconds */
const routerAt = (now: () => number, integrityProblems: () => readonly string[] = () => []): BundleRouter =>
  new BundleRouter({
    catalog: aCatalog(),
    calibration: aCalibration(),
    policy: aPolicy(),
    models,
    runtimeMode: "production",
    bundleId: null,
    integrityProblems,
    now,
  });

test.before(async () => {
  models = await testModels(aCatalog());
  router = routerAt(() => 0);
});
test.after(() => models.close());

/** The golden cases that the router itself gives. */
async function recorded(tolerance = 0): Promise<Golden> {
  const texts = ["where is my order", "refund my invoice", "sing a song"];
  const responses = await Promise.all(texts.map((text) => router.route(goldenRequest(text, router))));
  const cases = responses.map(({ decision, workflow_id: workflowId, reason_code: reasonCode, confidence }, i) => {
    return { text: texts[i] ?? "", decision, workflow_id: workflowId, reason_code: reasonCode, confidence };
  });
  return { schema_version: 1, tolerance, cases };
}

test("recorded decisions are reproduced without any tolerance", async () => {
  const golden = await recorded();
  assert.ok(
    golden.cases.some((one) => one.decision === "ROUTE") && golden.cases.some((one) => one.workflow_id === null),
  );
  await checkGolden(router, golden);
});

const changes: readonly (readonly [name: string, change: Partial<Golden["cases"][number]>])[] = [
  ["another decision", { decision: "CLARIFY" }],
  ["another workflow", { workflow_id: "accounts.unlock" }],
  ["another reason", { reason_code: "ACCEPTED_LOW_RISK" }],
  ["another confidence", { confidence: 0.5 }],
];

for (const [name, change] of changes) {
  test(`${name} fails the warm-up, by number and never by text`, async () => {
    const golden = await recorded(1e-6);
    const cases = golden.cases.map((one, i) => (i === 1 ? { ...one, ...change } : one));
    const error = await rejects(checkGolden(router, { ...golden, cases }), "WARMUP_FAILED");
    assert.match(error.message, /^1 of 3 golden decisions differ: case 2: /);
    assert.not.ok(error.message.includes("refund my invoice"));
  });
}

test("a confidence may differ by the tolerance and no more", async () => {
  const golden = await recorded(0.001);
  const shifted = (by: number): Golden => ({
    ...golden,
    cases: golden.cases.map((one) => ({ ...one, confidence: one.confidence + by })),
  });
  await checkGolden(router, shifted(0.0009));
  await rejects(checkGolden(router, shifted(0.0011)), "WARMUP_FAILED");
});

test("a first request that takes longer than its deadline is asked again; a router that is always late fails", async () => {
  const golden = await recorded();
  let readings = 0;
  const slowAtFirst = routerAt(() => {
    readings += 1;
    return Math.min(readings, 10) * 1e6;
  });
  await checkGolden(slowAtFirst, golden);
  assert.ok(readings > 10);
  let time = 0;
  const alwaysLate = routerAt(() => {
    time += 1e6;
    return time;
  });
  const error = await rejects(checkGolden(alwaysLate, golden), "WARMUP_FAILED");
  assert.match(error.message, "BACKEND_UNAVAILABLE");
});

test("files that are still being read again are waited for; a problem that stays is named", async () => {
  const golden = await recorded();
  let checks = 0;
  const touchedAtFirst = routerAt(
    () => 0,
    () => {
      checks += 1;
      return checks < 3 ? ["files of the bundle were changed on disk: policy.json"] : [];
    },
  );
  await checkGolden(touchedAtFirst, golden);
  assert.ok(checks >= 3);
  const changed = routerAt(
    () => 0,
    () => ["files of the bundle were changed on disk: policy.json"],
  );
  const error = await rejects(checkGolden(changed, golden), "WARMUP_FAILED");
  assert.match(error.message, /RUNTIME_INTEGRITY_FAILURE .* is not ready: files of the bundle were changed on disk/);
});

test("a golden file is parsed by its schema", async () => {
  const golden = await recorded();
  assert.equal(parseGolden(Buffer.from(JSON.stringify(golden))), golden);
  throws(() => parseGolden(Buffer.from("{")), "DOCUMENT_INVALID");
  throws(() => parseGolden(Buffer.from(JSON.stringify({ ...golden, cases: [] }))), "DOCUMENT_INVALID");
});
