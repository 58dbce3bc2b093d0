import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { toCamel } from "../../../src/domain/camel.js";
import { riskTiers } from "../../../src/domain/catalog.js";
import { type ReasonCode, reasonCodes } from "../../../src/domain/decision.js";
import type { RouteResponse } from "../../../src/domain/response.js";
import { multiActionEn1 } from "../../../src/policy/guards/multi-action-en-1.js";
import { openEndedEn1 } from "../../../src/policy/guards/open-ended-en-1.js";
import type { LoadedModels } from "../../../src/routing/load-models.js";
import { BundleRouter, type RouterParts } from "../../../src/routing/router.js";
import { evidenceFeatures } from "../../../src/verification/pair-evidence.js";
import {
  aCalibration,
  aCatalog,
  anAcceptingCalibration,
  anInput,
  aPolicy,
  aRouteRequest,
  aWorkflow,
  someWorkflows,
} from "../../support/builders.js";
import { nanModel } from "../../support/graphs.js";
import { testModels, verifierFilesWithGraph } from "../../support/models.js";
import { rejects } from "../../support/rejects.js";

const test = suite("src/routing/router");

const catalog = aCatalog({
  workflows: [
    ...someWorkflows().map((workflow) => ({ ...workflow, eventTypes: ["shared.event"] })),
    aWorkflow({
      workflowId: "data.erase",
      name: "Erase customer data",
      description: "Deletes everything stored about a customer.",
      riskTier: "critical",
      sideEffect: "destructive",
      confirmation: "always",
      capabilities: ["Delete personal data"],
      exclusions: ["Exports"],
      examples: ["erase all data about me", "delete my personal data"],
    }),
    aWorkflow({
      workflowId: "rooms.book",
      name: "Book a room",
      description: "Reserves a meeting room for a day.",
      capabilities: ["Reserve a meeting room"],
      examples: ["book a room", "I need a meeting room on friday"],
      requiredInputs: [anInput({ name: "day", pattern: "\\b(?P<value>(?:mon|fri)day)\\b" })],
      eventTypes: ["room.wanted"],
    }),
    aWorkflow({ workflowId: "rooms.old", name: "Book a hall", status: "disabled", examples: ["book a hall"] }),
  ],
});
const everyId = catalog.workflows.map((workflow) => workflow.workflowId);
const events = { enabled: true, allowedTiers: [...riskTiers] } as const;

let models: LoadedModels;
let failing: LoadedModels;
test.before(async () => {
  models = await testModels(catalog);
  failing = await testModels(catalog, verifierFilesWithGraph(nanModel(evidenceFeatures.length)));
});
test.after(async () => {
  await models.close();
  await failing.close();
});

const routerOf = (overrides: Partial<RouterParts> = {}): BundleRouter =>
  new BundleRouter({
    catalog,
    calibration: aCalibration(),
    policy: aPolicy(),
    models,
    runtimeMode: "development",
    bundleId: null,
    integrityProblems: () => [],
    now: () => 0,
    ...overrides,
  });

interface Row {
  readonly name: string;
  readonly request: Parameters<typeof aRouteRequest>[0];
  readonly parts?: () => Partial<RouterParts>;
  readonly reason: ReasonCode;
  readonly workflowId?: string;
}

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
const advancing = (): (() => number) => {
  let clock = 0;
  return () => (clock += 1000);
};
const production = { runtimeMode: "production" } as const;
const withCatalog = { catalogVersion: "catalog-1" } as const;
const book = "I need a meeting room";

const rows: readonly Row[] = [
  { name: "low tier", request: {}, reason: "ACCEPTED_LOW_RISK", workflowId: "orders.status" },
  {
    name: "medium tier",
    request: { text: "my account is locked" },
    reason: "ACCEPTED_MEDIUM_RISK",
    workflowId: "accounts.unlock",
  },
  {
    name: "high tier",
    request: { text: "refund my last invoice" },
    reason: "ACCEPTED_HIGH_RISK",
    workflowId: "invoices.refund",
  },
  {
    name: "critical tier",
    request: { text: "delete my personal data" },
    reason: "ACCEPTED_CRITICAL_RISK",
    workflowId: "data.erase",
  },
  {
    name: "exact event",
    request: { text: "anything", eventType: "room.wanted", context: { day: "friday" } },
    parts: () => ({ policy: aPolicy({ exactEvents: events }) }),
    reason: "EXACT_EVENT_RULE",
    workflowId: "rooms.book",
  },
  {
    name: "exact event without its input",
    request: { text: "anything", eventType: "room.wanted" },
    parts: () => ({ policy: aPolicy({ exactEvents: events }) }),
    reason: "EXACT_EVENT_MISSING_INPUT",
    workflowId: "rooms.book",
  },
  {
    name: "an event where the policy has the rule off",
    request: { eventType: "room.wanted" },
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.status",
  },
  {
    name: "an event that several declare",
    request: { eventType: "shared.event" },
    parts: () => ({ policy: aPolicy({ exactEvents: events }) }),
    reason: "AMBIGUOUS_EVENT_RULE",
  },
  { name: "an input is missing", request: { text: book }, reason: "MISSING_REQUIRED_INPUT", workflowId: "rooms.book" },
  {
    name: "an input is missing and confidence is too low to ask",
    request: { text: book },
    parts: () => ({ calibration: aCalibration({ clarifyThreshold: 1 }) }),
    reason: "LOW_CONFIDENCE_MISSING_INPUT",
  },
  {
    name: "patterns are out of time",
    request: { text: book },
    parts: () => ({ now: advancing(), policy: aPolicy({ deadlineMs: 60_000 }) }),
    reason: "INPUT_EXTRACTION_TIMEOUT",
  },
  {
    name: "the bundle is not in order",
    request: {},
    parts: () => ({ integrityProblems: () => ["changed"] }),
    reason: "RUNTIME_INTEGRITY_FAILURE",
  },
  {
    name: "production without a catalog version",
    request: { allowedWorkflowIds: everyId },
    parts: () => production,
    reason: "CATALOG_VERSION_REQUIRED",
  },
  {
    name: "production without an allow list",
    request: withCatalog,
    parts: () => production,
    reason: "WORKFLOW_ALLOWLIST_REQUIRED",
  },
  {
    name: "production with both",
    request: { ...withCatalog, allowedWorkflowIds: everyId },
    parts: () => production,
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.status",
  },
  {
    name: "debug in production where the policy refuses it",
    request: { ...withCatalog, allowedWorkflowIds: everyId, debug: true },
    parts: () => ({ ...production, policy: aPolicy({ refuseDebugInProduction: true }) }),
    reason: "DEBUG_DISABLED",
  },
  {
    name: "debug in development where the policy refuses it in production",
    request: {},
    parts: () => ({ policy: aPolicy({ refuseDebugInProduction: true }) }),
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.status",
  },
  {
    name: "a request for reasoning, with a guard against it",
    request: { text: "explain why my order is late" },
    parts: () => ({ policy: aPolicy({ guards: [toCamel(openEndedEn1)] }) }),
    reason: "OPEN_ENDED_REASONING",
  },
  {
    name: "two actions, with a guard against them",
    request: { text: "cancel my order and refund my last invoice" },
    parts: () => ({ policy: aPolicy({ guards: [toCamel(openEndedEn1), toCamel(multiActionEn1)] }) }),
    reason: "MULTI_ACTION_UNSUPPORTED",
  },
  { name: "a context with a cycle", request: { context: cycle }, reason: "INVALID_CONTEXT" },
  { name: "a context with a large integer type", request: { context: { n: 1n } }, reason: "INVALID_CONTEXT" },
  { name: "a context with NaN", request: { context: { a: [Number.NaN] } }, reason: "INVALID_CONTEXT" },
  { name: "a context with Infinity", request: { context: JSON.parse('{"n":1e999}') }, reason: "INVALID_CONTEXT" },
  {
    name: "a context one byte over the limit",
    request: { context: { a: "x".repeat(1024 - 7) } },
    parts: () => ({ policy: aPolicy({ maxContextBytes: 1024 }) }),
    reason: "CONTEXT_TOO_LARGE",
  },
  {
    name: "a context at the limit",
    request: { context: { a: "x".repeat(1024 - 8) } },
    parts: () => ({ policy: aPolicy({ maxContextBytes: 1024 }) }),
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.status",
  },
  { name: "an empty allow list", request: { allowedWorkflowIds: [] }, reason: "NO_ELIGIBLE_WORKFLOW" },
  { name: "every workflow blocked", request: { blockedWorkflowIds: everyId }, reason: "NO_ELIGIBLE_WORKFLOW" },
  { name: "only a disabled workflow", request: { allowedWorkflowIds: ["rooms.old"] }, reason: "NO_ELIGIBLE_WORKFLOW" },
  { name: "a verifier that fails", request: {}, parts: () => ({ models: failing }), reason: "BACKEND_UNAVAILABLE" },
  {
    name: "no workflow above the retrieval floor",
    request: {},
    parts: () => ({ calibration: aCalibration({ minRetrievalScore: 100 }) }),
    reason: "NO_WORKFLOW",
  },
  {
    name: "the true match is blocked",
    request: { blockedWorkflowIds: ["orders.status"] },
    reason: "BETTER_MATCH_NOT_ALLOWED",
  },
  {
    name: "the true match is not on the list",
    request: { allowedWorkflowIds: ["accounts.unlock"] },
    reason: "BETTER_MATCH_NOT_ALLOWED",
  },
  {
    name: "the true match is in a tier that the policy leaves out",
    request: { text: "refund my last invoice" },
    parts: () => ({ policy: aPolicy({ allowedTiers: ["low", "medium"] }) }),
    reason: "BETTER_MATCH_NOT_ALLOWED",
  },
  {
    name: "a request that nothing serves",
    request: { text: "sing a zebra on monday" },
    reason: "BELOW_RISK_THRESHOLD",
  },
  {
    name: "a margin that no pair has",
    request: {},
    parts: () => {
      const calibration = aCalibration();
      return {
        calibration: { ...calibration, tiers: { ...calibration.tiers, low: { ...calibration.tiers.low, margin: 1 } } },
      };
    },
    reason: "AMBIGUOUS_CANDIDATES",
  },
];

for (const { name, request, parts, reason, workflowId } of rows) {
  test(`${name}: ${reason}`, async () => {
    const response = await routerOf(parts?.() ?? {}).route(aRouteRequest(request));
    assert.is(response.reasonCode, reason);
    assert.is(response.decision, reasonCodes[reason]);
    assert.is(response.workflowId, workflowId ?? null);
    assert.is(response.decision === "CLARIFY", response.missingInputs.length > 0);
    assert.ok(response.confidence >= 0 && response.confidence <= 1);
    assert.is(response.candidates, null);
  });
}

test("every reason code of the closed table has a row", () => {
  assert.equal([...new Set(rows.map((row) => row.reason))].sort(), Object.keys(reasonCodes).sort());
});

/** Each fault alone, in the order in which the pipeline must report them. */
const faults: readonly (readonly [reason: ReasonCode, parts: Partial<RouterParts>, request: Row["request"]])[] = [
  ["RUNTIME_INTEGRITY_FAILURE", { integrityProblems: () => ["changed"] }, {}],
  ["CATALOG_VERSION_REQUIRED", {}, { catalogVersion: null }],
  ["WORKFLOW_ALLOWLIST_REQUIRED", {}, { allowedWorkflowIds: null }],
  ["CONTEXT_TOO_LARGE", {}, { context: { a: "x".repeat(70_000) } }],
  ["NO_ELIGIBLE_WORKFLOW", {}, { blockedWorkflowIds: everyId }],
];

test("of several faults the first of the pipeline is reported", async () => {
  for (const [index, [reason]] of faults.entries()) {
    const rest = faults.slice(index);
    const parts = Object.assign({ ...production }, ...rest.map(([, part]) => part)) as Partial<RouterParts>;
    const base = { ...withCatalog, allowedWorkflowIds: everyId };
    const request = Object.assign(base, ...rest.map(([, , field]) => field)) as Row["request"];
    assert.is((await routerOf(parts).route(aRouteRequest(request))).reasonCode, reason);
  }
});

test("another catalog version is an error before everything else, and names the active one", async () => {
  const router = routerOf({ integrityProblems: () => ["changed"] });
  const error = await rejects(router.route(aRouteRequest({ catalogVersion: "catalog-0" })), "CATALOG_VERSION_MISMATCH");
  assert.match(error.message, /catalog-1/);
});

test("debug shows candidates in development only, and never changes the decision", async () => {
  const request = aRouteRequest({ ...withCatalog, allowedWorkflowIds: everyId, blockedWorkflowIds: ["data.erase"] });
  const plain = await routerOf().route(request);
  const debugged = await routerOf().route({ ...request, debug: true });
  assert.equal({ ...debugged, candidates: null }, plain);
  const shown = debugged.candidates?.map((candidate) => candidate.workflowId) ?? [];
  assert.equal([...shown].sort(), ["accounts.unlock", "invoices.refund", "orders.status", "rooms.book"]);
  assert.equal([debugged.candidates?.[0]?.workflowId, debugged.candidates?.[0]?.rank], ["orders.status", 1]);
  const served = await routerOf(production).route({ ...request, debug: true });
  assert.equal(served, { ...plain, runtimeMode: "production" });
});

test("debug shows no candidates when nothing was scored", async () => {
  const response = await routerOf().route(aRouteRequest({ debug: true, allowedWorkflowIds: [] }));
  assert.is(response.candidates, null);
});

test("lineage, workflow ids and bundle id describe what is loaded", async () => {
  const router = routerOf({ bundleId: "b".repeat(64) });
  assert.equal(router.lineage, {
    modelVersion: "lexical-ridge-1+linear-1",
    calibrationVersion: "calibration-1",
    catalogVersion: "catalog-1",
    runtimeMode: "development",
  });
  assert.equal([...router.workflowIds], everyId);
  assert.is(router.bundleId, "b".repeat(64));
  const response = await router.route(aRouteRequest({ requestId: "mine" }));
  assert.equal([response.requestId, response.modelVersion], ["mine", router.lineage.modelVersion]);
});

test("latency is what the clock says, in milliseconds", async () => {
  const times = [5, 5, 12.3456];
  const router = routerOf({ now: () => times.shift() ?? Number.NaN });
  const response = await router.route(aRouteRequest({ allowedWorkflowIds: [] }));
  assert.is(response.latencyMs, 7.346);
});

test("scoring reports the ranking over the whole active catalog", async () => {
  const scored = await routerOf().score(aRouteRequest({ blockedWorkflowIds: ["orders.status"] }));
  assert.is(scored.ranking[0], "orders.status");
  assert.is(scored.ranking.length, 5);
  assert.equal([scored.candidates[0]?.workflowId, scored.candidates[0]?.eligible], ["orders.status", false]);
  const refused = await routerOf().score(aRouteRequest({ allowedWorkflowIds: [] }));
  assert.equal(refused, { candidates: [], earlyReason: "NO_ELIGIBLE_WORKFLOW", ranking: [] });
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

test("a blocked or unlisted workflow is never returned", async () => {
  const router = routerOf({ calibration: anAcceptingCalibration() });
  const texts = catalog.workflows.flatMap((workflow) => workflow.examples);
  const lists = fc.tuple(fc.constantFrom(...texts), fc.option(fc.subarray(everyId)), fc.subarray(everyId));
  await fc.assert(
    fc.asyncProperty(lists, async ([text, allowedWorkflowIds, blockedWorkflowIds]) => {
      const request = aRouteRequest({ text, allowedWorkflowIds, blockedWorkflowIds, debug: true });
      const response = await router.route(request);
      const named = [response.workflowId ?? [], response.candidates?.map((one) => one.workflowId) ?? []].flat();
      for (const id of named) {
        assert.not.ok(blockedWorkflowIds.includes(id));
        assert.ok(allowedWorkflowIds === null || allowedWorkflowIds.includes(id));
        assert.is.not(id, "rooms.old");
      }
    }),
    { numRuns: 100 },
  );
});

test("without an inference thread the router is not ready and declines as an unavailable backend", async () => {
  const ended = await testModels(catalog);
  const router = routerOf({ models: ended });
  assert.equal(router.integrityProblems(), []);
  await ended.close();
  assert.equal(router.integrityProblems(), ["no inference thread is left"]);
  const { decision, reasonCode } = await router.route(aRouteRequest());
  assert.equal([decision, reasonCode], ["LLM_REQUIRED", "BACKEND_UNAVAILABLE"]);
});

test.run();
