import type { BundleId } from "../../../src/documents/primitives.js";
import type { RouteResponse } from "../../../src/documents/response.js";
import type { LoadedModels } from "../../../src/router/load-models.js";
import type { BackendFailure, BundleRouter, RouterParts } from "../../../src/router/router.js";
import { featureNames } from "../../../src/router/verification/similarity-features.js";
import { assert, rejects, test } from "../../support/test.js";
import { anAcceptingCalibration, aPolicy, aRouteRequest } from "../../support/builders.js";
import { nanModel, slowModel } from "../../support/graphs.js";
import { testModels, verifierFilesWithGraph } from "../../support/models.js";
import { ruleCatalog, ruleCatalogIds as everyId, ruleRouter } from "../../support/rule-router.js";

let models: LoadedModels;
let failing: LoadedModels;
test.before(async () => {
  models = await testModels(ruleCatalog);
  failing = await testModels(ruleCatalog, verifierFilesWithGraph(nanModel(featureNames.length)));
});
test.after(async () => {
  await models.close();
  await failing.close();
});

const routerOf = (overrides: Partial<RouterParts> = {}): BundleRouter => ruleRouter(models, overrides);
const production = { runtimeMode: "production" } as const;
const withCatalog = { catalog_version: "catalog-1" } as const;
const book = "I need a meeting room";

test("another catalog version is an error before everything else, and names the active one", async () => {
  const router = routerOf({ integrityProblems: () => ["changed"] });
  const error = await rejects(
    router.route(aRouteRequest({ catalog_version: "catalog-0" })),
    "CATALOG_VERSION_MISMATCH",
  );
  assert.match(error.message, /catalog-1/);
});

test("debug shows candidates in development only, and never changes the decision", async () => {
  const request = aRouteRequest({
    ...withCatalog,
    allowed_workflow_ids: everyId,
    blocked_workflow_ids: ["data.erase"],
  });
  const plain = await routerOf().route(request);
  const debugged = await routerOf().route({ ...request, debug: true });
  assert.equal({ ...debugged, candidates: null }, plain);
  const shown = debugged.candidates?.map((candidate) => candidate.workflow_id) ?? [];
  assert.equal([...shown].sort(), ["accounts.unlock", "invoices.refund", "orders.status", "rooms.book"]);
  assert.equal([debugged.candidates?.[0]?.workflow_id, debugged.candidates?.[0]?.rank], ["orders.status", 1]);
  const served = await routerOf(production).route({ ...request, debug: true });
  assert.equal(served, { ...plain, runtime_mode: "production" });
});

test("debug shows no candidates when nothing was scored", async () => {
  const response = await routerOf().route(aRouteRequest({ debug: true, allowed_workflow_ids: [] }));
  assert.is(response.candidates, null);
});

test("lineage, workflow ids and bundle id describe what is loaded", async () => {
  const router = routerOf({ bundleId: "b".repeat(64) as BundleId });
  assert.equal(router.lineage, {
    model_version: "lexical-1+linear-1",
    calibration_version: "calibration-1",
    catalog_version: "catalog-1",
    runtime_mode: "development",
  });
  assert.equal([...router.workflowIds], everyId);
  assert.is(router.bundleId, "b".repeat(64));
  const response = await router.route(aRouteRequest({ request_id: "mine" }));
  assert.equal([response.request_id, response.model_version], ["mine", router.lineage.model_version]);
});

test("latency is measured by the given clock, in milliseconds", async () => {
  const times = [5, 5, 12.3456];
  const router = routerOf({ now: () => times.shift() ?? Number.NaN });
  const response = await router.route(aRouteRequest({ allowed_workflow_ids: [] }));
  assert.is(response.latency_ms, 7.346);
});

test("scoring reports the ranking over the whole active catalog", async () => {
  const scored = await routerOf().score(aRouteRequest({ blocked_workflow_ids: ["orders.status"] }));
  assert.is(scored.ranking[0], "orders.status");
  assert.is(scored.ranking.length, 5);
  assert.equal([scored.candidates[0]?.workflow_id, scored.candidates[0]?.eligible], ["orders.status", false]);
  const refused = await routerOf().score(aRouteRequest({ allowed_workflow_ids: [] }));
  assert.equal(refused, {
    candidates: [],
    earlyReason: "NO_ELIGIBLE_WORKFLOW",
    ranking: [],
    textCut: false,
    pairsCut: 0,
  });
});

test("scoring does not hide a backend failure", async () => {
  await rejects(routerOf({ models: failing }).score(aRouteRequest()), "MODEL_RUN_FAILED");
});

test("16 concurrent requests get the answers that they get alone", async () => {
  const router = routerOf({ calibration: anAcceptingCalibration() });
  const texts = ["where is my order", "refund my last invoice", "my account is locked", book, "🙂", "sing a song"];
  const requests = Array.from({ length: 16 }, (_, i) => aRouteRequest({ text: texts[i % texts.length] ?? "" }));
  const alone: RouteResponse[] = [];
  for (const request of requests) alone.push(await router.route(request));
  assert.equal(await Promise.all(requests.map((request) => router.route(request))), alone);
});

test("without an inference thread the router is not ready and declines as an unavailable backend", async () => {
  const ended = await testModels(ruleCatalog);
  const router = routerOf({ models: ended });
  assert.equal(router.integrityProblems(), []);
  await ended.close();
  assert.equal(router.integrityProblems(), ["no inference thread is left"]);
  const { decision, reason_code: reasonCode } = await router.route(aRouteRequest());
  assert.equal([decision, reasonCode], ["LLM_REQUIRED", "BACKEND_UNAVAILABLE"]);
});

test("an aborted request gets no decision, whether it ended before or during scoring", async () => {
  const gone = new AbortController();
  gone.abort();
  await rejects(routerOf().route(aRouteRequest(), gone.signal), "REQUEST_CANCELLED");
  await rejects(routerOf().route(aRouteRequest({ allowed_workflow_ids: [] }), gone.signal), "REQUEST_CANCELLED");

  for (const parts of [{}, { models: failing }]) {
    const leaving = new AbortController();
    const failures: BackendFailure[] = [];
    const router = routerOf({ ...parts, onBackendError: (failure) => failures.push(failure) });
    const answer = router.route(aRouteRequest(), leaving.signal);
    leaving.abort();
    await rejects(answer, "REQUEST_CANCELLED");
    assert.equal(failures, []);
  }
});

test("a signal that is never aborted changes nothing", async () => {
  const { signal } = new AbortController();
  assert.equal(await routerOf().route(aRouteRequest(), signal), await routerOf().route(aRouteRequest()));
});

test("a backend failure is reported by its code in both modes, with the same decision", async () => {
  for (const runtimeMode of ["development", "production"] as const) {
    const failures: BackendFailure[] = [];
    const onBackendError = (failure: BackendFailure): void => void failures.push(failure);
    const router = routerOf({ models: failing, runtimeMode, bundleId: "b1" as BundleId, onBackendError });
    const request = aRouteRequest({ ...withCatalog, allowed_workflow_ids: everyId });
    const { decision, reason_code: reasonCode } = await router.route(request);
    assert.equal([decision, reasonCode], ["LLM_REQUIRED", "BACKEND_UNAVAILABLE"]);
    assert.equal(failures, [{ request_id: "request-1", error_code: "MODEL_RUN_FAILED", bundle_id: "b1" }]);
  }
});

test("a deadline that has passed is an unavailable backend", async () => {
  const failures: BackendFailure[] = [];
  const slow = await testModels(ruleCatalog, verifierFilesWithGraph(slowModel(featureNames.length, 5000)));
  const parts = { models: slow, policy: aPolicy({ deadline_ms: 1 }), now: () => performance.now() };
  const router = routerOf({ ...parts, onBackendError: (failure) => failures.push(failure) });
  assert.is((await router.route(aRouteRequest())).reason_code, "BACKEND_UNAVAILABLE");
  await router.close();
  assert.equal(
    failures.map(({ error_code: errorCode }) => errorCode),
    ["DEADLINE_EXCEEDED"],
  );
});
