import type { Router } from "../../src/documents/router.js";
import type { ExpectedGeneration } from "../../src/router/runtime.js";
import {
  ApiSettings,
  type AppOptions,
  createApp,
  loadProductionRouter,
  LoggingTelemetrySink,
  type ProductionRouterOptions,
  RouterRuntime,
} from "../../serve/index.js";
import { assert, rejects, test, throws } from "../support/test.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { productionSettings } from "./support/http.js";

/** What a caller without type checks passes. */
const any = <T>(value: unknown): T => value as T;
const paths = {
  catalogPath: "catalog.yaml",
  calibrationPath: "calibration.json",
  artifactManifestPath: "manifest.dsse.json",
  retrieverModel: "retriever",
  verifierModel: "verifier",
  trustPolicyPath: "trust.json",
};

const wrongLoads: readonly (readonly [what: string, options: unknown, message: RegExp])[] = [
  ["no options", undefined, /the options are of kind undefined, expected an object/],
  ["a missing path", { ...paths, trustPolicyPath: undefined }, /option "trustPolicyPath" is missing/],
  ["a path that is no text", { ...paths, catalogPath: 3 }, /option "catalogPath" is of kind number, expected string/],
  ["a name of the specification", { ...paths, catalog_path: "c" }, /there is no option "catalog_path"/],
  ["a number as text", { ...paths, topK: "8" }, /option "topK" is of kind string, expected number/],
  ["a function as a sink", { ...paths, telemetry: () => 1 }, /option "telemetry" is of kind function, expected object/],
];
for (const [what, options, message] of wrongLoads) {
  test(`loadProductionRouter refuses ${what}`, async () => {
    const error = await rejects(loadProductionRouter(any<ProductionRouterOptions>(options)), "ARGUMENT_INVALID");
    assert.match(error.message, message);
  });
}

const wrongApps: readonly (readonly [what: string, options: unknown, message: RegExp])[] = [
  ["options that are none", "options", /the options are of kind string, expected an object/],
  ["an authorizer that is a list", { authorizer: ["a.b"] }, /option "authorizer" is of kind list, expected function/],
  [
    "settings that were written by hand",
    { settings: { production: true } },
    /options\.settings is an object, expected a value/,
  ],
  ["an unknown option", { authoriser: () => [] }, /there is no option "authoriser"/],
];
for (const [what, options, message] of wrongApps) {
  test(`createApp refuses ${what}`, () => {
    const error = throws(() => createApp(fixtureRouter(), any<AppOptions>(options)), "ARGUMENT_INVALID");
    assert.match(error.message, message);
  });
}

test("a router that was not awaited is named as such", () => {
  const early = any<Router>(Promise.resolve(fixtureRouter()));
  const error = throws(
    () => createApp(early, { authorizer: () => [], settings: productionSettings }),
    "ARGUMENT_INVALID",
  );
  assert.match(error.message, /router is a promise/);
  assert.is(error.hint, "Await the promise first.");
  throws(() => new RouterRuntime(early), "ARGUMENT_INVALID");
});

test("replace and rollback refuse a call without a router or without the generation", () => {
  const runtime = new RouterRuntime(fixtureRouter());
  const guard = { expectedGeneration: 1 };
  throws(() => runtime.replace(any<Router>(undefined), guard), "ARGUMENT_INVALID");
  for (const wrong of [undefined, 1, {}, { expectedGeneration: "1" }, { expected_generation: 1 }]) {
    const error = throws(() => runtime.replace(fixtureRouter(), any<ExpectedGeneration>(wrong)), "ARGUMENT_INVALID");
    assert.match(error.message, /expectedGeneration/);
    throws(() => runtime.rollback(any<ExpectedGeneration>(wrong)), "ARGUMENT_INVALID");
  }
  assert.is(runtime.snapshot().generation, 1);
});

test("settings refuse a missing or misspelled member", () => {
  const settings = (options: unknown) => () =>
    ApiSettings.productionDefaults(any<Parameters<typeof ApiSettings.productionDefaults>[0]>(options));
  throws(settings(undefined), "ARGUMENT_INVALID");
  throws(settings({ trustedHosts: ["a.example"] }), "ARGUMENT_INVALID");
  throws(settings({ trustedHosts: "a.example", corsOrigins: [] }), "ARGUMENT_INVALID");
  throws(settings({ trusted_hosts: ["a.example"], corsOrigins: [] }), "ARGUMENT_INVALID");
});

test("a sink refuses options of the wrong kind", () => {
  throws(() => new LoggingTelemetrySink(any({ write: "stdout" })), "ARGUMENT_INVALID");
});

test("an authorizer may be synchronous", async () => {
  const router = fixtureRouter();
  const app = createApp(router, { authorizer: () => ["orders.status"], settings: productionSettings });
  try {
    const payload = { text: "x", catalog_version: "cat-1", allowed_workflow_ids: ["orders.status", "card.block"] };
    const headers = { host: productionSettings.trustedHosts[0] ?? "" };
    const answer = await app.inject({ method: "POST", url: "/v1/route", headers, payload });
    assert.is(answer.statusCode, 200);
    assert.equal(router.seen[0]?.allowed_workflow_ids, ["orders.status"]);
  } finally {
    await app.close();
  }
});
