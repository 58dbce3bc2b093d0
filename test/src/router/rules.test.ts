/** A row for every reason code, and for every rule of the request pipeline, through a real router and real graphs. */
import { join } from "node:path";
import type { Catalog } from "../../../src/documents/catalog.js";
import { riskTiers } from "../../../src/documents/choices.js";
import { type ReasonCode, reasonCodes } from "../../../src/documents/decision.js";
import type { TableRetrieverModel } from "../../../src/documents/model.js";
import { type LoadedModels, loadModels } from "../../../src/router/load-models.js";
import { modelFileName } from "../../../src/router/retrieval/model-files.js";
import { readDirectory } from "../../../src/trust/directory-hash.js";
import type { RouterParts } from "../../../src/router/router.js";
import { featureNames } from "../../../src/router/verification/similarity-features.js";
import { assert, packageRoot, test } from "../../support/test.js";
import { aCalibration, aDecliningCalibration, aPolicy, aRouteRequest, aShortlist } from "../../support/builders.js";
import { nanModel } from "../../support/graphs.js";
import { testModels, verifierFilesWithGraph } from "../../support/models.js";
import { ruleCatalog, ruleCatalogIds as everyId, ruleRouter } from "../../support/rule-router.js";

const events = { enabled: true, allowed_tiers: [...riskTiers] } as const;

let models: LoadedModels;
let failing: LoadedModels;
/** The fast models, to which every text ends a conversation. */
let closing: LoadedModels;

async function closingModels(): Promise<LoadedModels> {
  const filesOf = async (role: string) => (await readDirectory(join(packageRoot, "models/fast", role))).files;
  const [files, verifier] = [await filesOf("retriever"), await filesOf("verifier")];
  const model = JSON.parse(String(files.get(modelFileName))) as TableRetrieverModel;
  const detector = { bias: 1, weights: Array.from({ length: model.dimensions }, () => 0) };
  const described = Buffer.from(JSON.stringify({ ...model, closing: detector }));
  const sources = { retrieverFiles: new Map([...files, [modelFileName, described]]), verifierFiles: verifier };
  return loadModels(ruleCatalog, sources, { workers: 1, queueLimit: 64 });
}

test.before(async () => {
  models = await testModels(ruleCatalog);
  closing = await closingModels();
  failing = await testModels(ruleCatalog, verifierFilesWithGraph(nanModel(featureNames.length)));
});
test.after(async () => {
  await models.close();
  await closing.close();
  await failing.close();
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
const production = { runtimeMode: "production" } as const;
const withCatalog = { catalog_version: "catalog-1" } as const;
const book = "I need a meeting room";

const english = {
  covered: ["en"],
  read: [{ language: "en", requests: 100, routed: 50, wrong: 1 }],
  requests: 100,
  declined: 1,
};
const severalWishes = {
  threshold: -100,
  single_requests: 100,
  declined: 1,
  upper_limit: 0.05,
  joined: 9,
  found: 8,
} as const;
const withChanged = (id: string, change: Partial<Catalog["workflows"][number]>): Catalog => ({
  ...ruleCatalog,
  workflows: ruleCatalog.workflows.map((one) => (one.workflow_id === id ? { ...one, ...change } : one)),
});

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
    request: { text: "anything", event_type: "room.wanted", context: { day: "friday" } },
    parts: () => ({ policy: aPolicy({ exact_events: events }) }),
    reason: "EXACT_EVENT_RULE",
    workflowId: "rooms.book",
  },
  {
    name: "exact event without its input",
    request: { text: "anything", event_type: "room.wanted" },
    parts: () => ({ policy: aPolicy({ exact_events: events }) }),
    reason: "EXACT_EVENT_MISSING_INPUT",
    workflowId: "rooms.book",
  },
  {
    name: "an event where the policy has the rule off",
    request: { event_type: "room.wanted" },
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.status",
  },
  {
    name: "an event that several declare",
    request: { event_type: "shared.event" },
    parts: () => ({ policy: aPolicy({ exact_events: events }) }),
    reason: "AMBIGUOUS_EVENT_RULE",
  },
  { name: "an input is missing", request: { text: book }, reason: "MISSING_REQUIRED_INPUT", workflowId: "rooms.book" },
  {
    name: "an input is missing and confidence is too low to ask",
    request: { text: book },
    parts: () => ({ calibration: aCalibration({ clarify_threshold: 1 }) }),
    reason: "LOW_CONFIDENCE_MISSING_INPUT",
  },
  {
    name: "patterns are out of time",
    request: { text: book },
    parts: () => ({ policy: aPolicy({ pattern_budget_ms: 0 }) }),
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
    request: { allowed_workflow_ids: everyId },
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
    request: { ...withCatalog, allowed_workflow_ids: everyId },
    parts: () => production,
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.status",
  },
  {
    name: "debug in production where the policy refuses it",
    request: { ...withCatalog, allowed_workflow_ids: everyId, debug: true },
    parts: () => ({ ...production, policy: aPolicy({ refuse_debug_in_production: true }) }),
    reason: "DEBUG_DISABLED",
  },
  {
    name: "debug in development where the policy refuses it in production",
    request: {},
    parts: () => ({ policy: aPolicy({ refuse_debug_in_production: true }) }),
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.status",
  },
  {
    name: "two wishes",
    request: { text: "refund my last invoice and unlock my account" },
    parts: () => ({ calibration: aCalibration({ several_wishes: severalWishes }) }),
    reason: "MULTI_ACTION_UNSUPPORTED",
  },
  {
    name: "a text in another language",
    request: { text: "bitte sagen Sie mir, wo meine Bestellung bleibt" },
    parts: () => ({ calibration: aCalibration({ languages: english }) }),
    reason: "LANGUAGE_NOT_CERTIFIED",
  },
  {
    name: "a text in another language, under a policy that reads none",
    request: { text: "bitte sagen Sie mir, where is my order" },
    parts: () => ({ calibration: aCalibration({ languages: english }), policy: aPolicy({ language_gate: null }) }),
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.status",
  },
  {
    name: "another language that the caller states",
    request: { language: "de-AT" },
    parts: () => ({ calibration: aCalibration({ languages: english }) }),
    reason: "LANGUAGE_NOT_CERTIFIED",
  },
  {
    name: "a covered language that the caller states",
    request: { text: "bitte sagen Sie mir, where is my order", language: "en" },
    parts: () => ({ calibration: aCalibration({ languages: english }) }),
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.status",
  },
  { name: "a wish that is not one", request: { text: "don't refund my last invoice" }, reason: "NEGATED_REQUEST" },
  {
    name: "a wish that is not one, for a workflow that accepts negation",
    request: { text: "don't refund my last invoice" },
    parts: () => ({ catalog: withChanged("invoices.refund", { negation: "accepted" }) }),
    reason: "ACCEPTED_HIGH_RISK",
    workflowId: "invoices.refund",
  },
  {
    name: "a wish that is not one, for a workflow with an example that negates another wish",
    request: { text: "don't refund my last invoice" },
    parts: () => ({ catalog: withChanged("invoices.refund", { examples: ["please do not charge my last invoice"] }) }),
    reason: "NEGATED_REQUEST",
  },
  {
    name: "a wish that is not one, for a workflow with an example that negates it",
    request: { text: "don't refund my last invoice" },
    parts: () => ({ catalog: withChanged("invoices.refund", { examples: ["do not refund this invoice"] }) }),
    reason: "ACCEPTED_HIGH_RISK",
    workflowId: "invoices.refund",
  },
  {
    name: "a wish that is not one, under a policy without words of negation",
    request: { text: "don't refund my last invoice" },
    parts: () => ({ policy: aPolicy({ negation: null }) }),
    reason: "ACCEPTED_HIGH_RISK",
    workflowId: "invoices.refund",
  },
  {
    name: "a follow-up that leads to the previous workflow",
    request: { previous: { workflow_id: "orders.status" } },
    reason: "FOLLOW_UP_ACCEPTED",
    workflowId: "orders.status",
  },
  {
    name: "a follow-up that leads to the previous workflow, with an input missing",
    request: { text: book, previous: { workflow_id: "rooms.book" } },
    reason: "FOLLOW_UP_MISSING_INPUT",
    workflowId: "rooms.book",
  },
  {
    name: "a follow-up that leads to another workflow",
    request: { previous: { workflow_id: "rooms.book" } },
    reason: "CONTEXT_NEEDED",
  },
  {
    name: "a follow-up of a workflow that the catalog lacks",
    request: { previous: { workflow_id: "orders.none" } },
    reason: "CONTEXT_NEEDED",
  },
  {
    name: "a follow-up of a request that no workflow served",
    request: { previous: { workflow_id: null } },
    reason: "CONTEXT_NEEDED",
  },
  {
    name: "a follow-up with two wishes",
    request: {
      text: "refund my last invoice and unlock my account",
      previous: { workflow_id: "invoices.refund" },
    },
    parts: () => ({ calibration: aCalibration({ several_wishes: severalWishes }) }),
    reason: "MULTI_ACTION_UNSUPPORTED",
  },
  {
    name: "a follow-up that only ends the conversation",
    request: { previous: { workflow_id: "orders.status" } },
    parts: () => ({ models: closing }),
    reason: "NO_REQUEST",
  },
  {
    name: "a text that stands alone, although it would end a conversation",
    request: {},
    parts: () => ({ models: closing }),
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.status",
  },
  { name: "a context with a cycle", request: { context: cycle }, reason: "INVALID_CONTEXT" },
  { name: "a context with a large integer type", request: { context: { n: 1n } }, reason: "INVALID_CONTEXT" },
  { name: "a context with NaN", request: { context: { a: [Number.NaN] } }, reason: "INVALID_CONTEXT" },
  { name: "a context with Infinity", request: { context: JSON.parse('{"n":1e999}') }, reason: "INVALID_CONTEXT" },
  {
    name: "a context one byte over the limit",
    request: { context: { a: "x".repeat(1024 - 7) } },
    parts: () => ({ policy: aPolicy({ max_context_bytes: 1024 }) }),
    reason: "CONTEXT_TOO_LARGE",
  },
  {
    name: "a context at the limit",
    request: { context: { a: "x".repeat(1024 - 8) } },
    parts: () => ({ policy: aPolicy({ max_context_bytes: 1024 }) }),
    reason: "ACCEPTED_LOW_RISK",
    workflowId: "orders.status",
  },
  { name: "an empty allow list", request: { allowed_workflow_ids: [] }, reason: "NO_ELIGIBLE_WORKFLOW" },
  { name: "every workflow blocked", request: { blocked_workflow_ids: everyId }, reason: "NO_ELIGIBLE_WORKFLOW" },
  {
    name: "only a disabled workflow",
    request: { allowed_workflow_ids: ["rooms.old"] },
    reason: "NO_ELIGIBLE_WORKFLOW",
  },
  { name: "a verifier that fails", request: {}, parts: () => ({ models: failing }), reason: "BACKEND_UNAVAILABLE" },
  {
    name: "no workflow above the retrieval floor",
    request: {},
    parts: () => ({ calibration: aCalibration({ min_retrieval_score: 100 }) }),
    reason: "NO_WORKFLOW",
  },
  {
    name: "the true match is blocked",
    request: { blocked_workflow_ids: ["orders.status"] },
    reason: "BETTER_MATCH_NOT_ALLOWED",
  },
  {
    name: "another workflow is blocked",
    request: { text: "my account is locked", blocked_workflow_ids: ["orders.status"] },
    reason: "ACCEPTED_MEDIUM_RISK",
    workflowId: "accounts.unlock",
  },
  {
    name: "the true match is not on the list",
    request: { allowed_workflow_ids: ["accounts.unlock"] },
    reason: "BETTER_MATCH_NOT_ALLOWED",
  },
  {
    name: "the true match is in a tier that the policy leaves out",
    request: { text: "refund my last invoice" },
    parts: () => ({ policy: aPolicy({ allowed_tiers: ["low", "medium"] }) }),
    reason: "BETTER_MATCH_NOT_ALLOWED",
  },
  {
    name: "a request that nothing serves",
    request: { text: "sing a zebra on monday" },
    reason: "BELOW_RISK_THRESHOLD",
  },
  {
    name: "a workflow without evidence under a claim for this catalog",
    request: { text: book },
    parts: () => ({ calibration: aCalibration({ certified_workflows: ["zoo.feed"] }) }),
    reason: "WORKFLOW_NOT_CERTIFIED",
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
  {
    name: "two or three in a question",
    request: { text: "order invoice account" },
    parts: () => ({
      calibration: { ...aDecliningCalibration(), shortlist: aShortlist({ share: 0.1, size: 5 }) },
      policy: aPolicy({ ask_between: true }),
    }),
    reason: "ASK_BETWEEN",
  },
];

for (const { name, request, parts, reason, workflowId } of rows) {
  test(`${name}: ${reason}`, async () => {
    const response = await ruleRouter(models, parts?.() ?? {}).route(aRouteRequest(request));
    assert.is(response.reason_code, reason);
    assert.is(response.decision, reasonCodes[reason]);
    assert.is(response.workflow_id, workflowId ?? null);
    const asks = response.missing_inputs.length > 0 || reason === "ASK_BETWEEN";
    assert.is(response.decision === "CLARIFY", asks);
    assert.ok(response.confidence >= 0 && response.confidence <= 1);
    assert.is(response.candidates, null);
  });
}

test("a previous workflow that the caller may not use answers like one that does not exist, and is not named", async () => {
  const answerTo = (id: string) =>
    ruleRouter(models).route(aRouteRequest({ previous: { workflow_id: id }, blocked_workflow_ids: ["data.erase"] }));
  const forbidden = await answerTo("data.erase");
  assert.equal(forbidden, await answerTo("no.such"));
  assert.not.match(JSON.stringify(forbidden), /erase/);
});

test("the parts of two wishes name only workflows that the caller may use", async () => {
  const calibration = aCalibration({ several_wishes: severalWishes });
  const text = "refund my last invoice and unlock my account";
  const partsFor = async (blocked: readonly string[]) => {
    const request = aRouteRequest({ text, blocked_workflow_ids: blocked });
    return (await ruleRouter(models, { calibration }).route(request)).parts?.map((part) => part.workflows);
  };
  const all = await partsFor([]);
  assert.equal([all?.[0]?.[0], all?.[1]?.[0]], ["invoices.refund", "accounts.unlock"]);
  assert.not((await partsFor(["orders.status"]))?.flat().some((id) => id === "orders.status"));
});

test("every reason code of the closed table has a row", () => {
  assert.equal([...new Set(rows.map((row) => row.reason))].sort(), Object.keys(reasonCodes).sort());
});

/** Production with every rule of the policy on. */
const strict = (): Partial<RouterParts> => ({
  ...production,
  policy: aPolicy({ refuse_debug_in_production: true, exact_events: events }),
});

/** Each fault alone, in the order in which the pipeline must report them; the broken models are added below. */
const faults: readonly (readonly [reason: ReasonCode, parts: Partial<RouterParts>, request: Row["request"]])[] = [
  ["RUNTIME_INTEGRITY_FAILURE", { integrityProblems: () => ["changed"] }, {}],
  ["CATALOG_VERSION_REQUIRED", {}, { catalog_version: null }],
  ["WORKFLOW_ALLOWLIST_REQUIRED", {}, { allowed_workflow_ids: null }],
  ["DEBUG_DISABLED", {}, { debug: true }],
  ["CONTEXT_TOO_LARGE", {}, { context: { a: "x".repeat(70_000) } }],
  ["NO_ELIGIBLE_WORKFLOW", {}, { blocked_workflow_ids: everyId }],
  ["EXACT_EVENT_MISSING_INPUT", {}, { event_type: "room.wanted" }],
  ["BACKEND_UNAVAILABLE", {}, {}],
];

test("of several faults the first of the pipeline is reported", async () => {
  for (const [index, [reason]] of faults.entries()) {
    const rest = faults.slice(index);
    const parts = Object.assign(
      { ...strict(), models: failing },
      ...rest.map(([, part]) => part),
    ) as Partial<RouterParts>;
    const base = { ...withCatalog, allowed_workflow_ids: everyId };
    const request = Object.assign(base, ...rest.map(([, , field]) => field)) as Row["request"];
    assert.is((await ruleRouter(models, parts).route(aRouteRequest(request))).reason_code, reason);
  }
});
