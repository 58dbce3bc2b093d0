import { join } from "node:path";
import { readRouteRequest } from "../../serve/request-body.js";
import { readDirectory } from "../../src/trust/directory-hash.js";
import type { RouteResponse } from "../../src/documents/response.js";
import { loadModels } from "../../src/router/load-models.js";
import { BundleRouter } from "../../src/router/router.js";
import { assert, packageRoot, testWith } from "../support/test.js";
import { aCalibration, aPolicy, aRouteRequest } from "../support/builders.js";
import { serviceDeskCatalog } from "../support/service-desk.js";

const longest = 8000;

const test = testWith<{ router: BundleRouter }>();

const filesOf = async (role: string) => (await readDirectory(join(packageRoot, "models/default", role))).files;
const catalog = await serviceDeskCatalog();
const plain = catalog.workflows.find(
  ({ required_inputs: requiredInputs, risk_tier: riskTier }) => requiredInputs.length === 0 && riskTier === "low",
);
const [request = ""] = plain?.examples ?? [];

test.before(async (context) => {
  const sources = { retrieverFiles: await filesOf("retriever"), verifierFiles: await filesOf("verifier") };
  context.router = new BundleRouter({
    catalog,
    calibration: aCalibration(),
    policy: aPolicy({ deadline_ms: 60_000 }),
    models: await loadModels(catalog, sources, { workers: 1, queueLimit: 64 }),
    runtimeMode: "development",
    bundleId: null,
    integrityProblems: () => [],
    now: () => 0,
  });
});

test.after(({ router }) => router.close());

const asked = (router: BundleRouter, text: string): Promise<RouteResponse> =>
  router.route({
    ...aRouteRequest(),
    text,
    allowed_workflow_ids: catalog.workflows.map(({ workflow_id: workflowId }) => workflowId),
  });

const filled = (text: string): string => text.repeat(Math.ceil(longest / text.length)).slice(0, longest);

const withoutWords: Readonly<Record<string, string>> = {
  empty: "",
  "one emoji": "🙂",
  "emoji only, 8,000 characters": filled("🙂🎉🔥"),
  "punctuation only, 8,000 characters": filled("?!... "),
  "signs that are not seen": "\u200b\u202e\ufeff",
  "half of a surrogate pair": "\ud800",
};

for (const [name, text] of Object.entries(withoutWords)) {
  test(`${name}: declined, because no workflow is near`, async ({ router }) => {
    const { decision, workflow_id: workflowId, reason_code: reason, confidence } = await asked(router, text);
    assert.equal(
      { decision, workflowId, reason, confidence },
      { decision: "LLM_REQUIRED", workflowId: null, reason: "NO_WORKFLOW", confidence: 0 },
    );
  });
}

const nothingKnown: Readonly<Record<string, string>> = {
  "one letter 8,000 times": filled("a"),
  "unknown words, 8,000 characters": filled("zxqv brrgl wnnkp "),
  "another script": "请帮我重置密码",
};

for (const [name, text] of Object.entries(nothingKnown)) {
  test(`${name}: declined, because no workflow is likely`, async ({ router }) => {
    const { decision, workflow_id: workflowId, confidence } = await asked(router, text);
    assert.equal({ decision, workflowId }, { decision: "LLM_REQUIRED", workflowId: null });
    assert.ok(confidence < 0.5, `${confidence}`);
  });
}

test("as a follow-up, a text that ends the conversation is no request, and an incomplete one needs its context", async ({
  router,
}) => {
  const reasonOf = async (text: string): Promise<string> => {
    const previous = { workflow_id: plain?.workflow_id ?? null };
    return (await router.route(aRouteRequest({ text, previous }))).reason_code;
  };
  assert.is(await reasonOf("thanks, that's all"), "NO_REQUEST");
  assert.is(await reasonOf("great, thank you!"), "NO_REQUEST");
  assert.is(await reasonOf("and for tomorrow?"), "CONTEXT_NEEDED");
  assert.is(await reasonOf(request), "FOLLOW_UP_ACCEPTED");
  assert.not.equal((await asked(router, "thanks, that's all")).reason_code, "NO_REQUEST");
});

test("the API refuses an empty text and one of blanks, and takes 8,000 characters but not one more", () => {
  for (const text of ["", "  \n ", filled("a") + "a"]) assert.throws(() => readRouteRequest({ text }, "id"));
  assert.is(readRouteRequest({ text: filled("a") }, "id").text.length, longest);
});

test("a request repeated up to 8,000 characters is routed as the request itself", async ({ router }) => {
  for (const text of [request, filled(`${request}. `)]) {
    const { decision, workflow_id: workflowId } = await asked(router, text);
    assert.equal({ decision, workflowId }, { decision: "ROUTE", workflowId: plain?.workflow_id });
  }
});

test("a request in 8,000 characters of unknown words is routed to its workflow or declined", async ({ router }) => {
  const { decision, workflow_id: workflowId } = await asked(
    router,
    `${request} ${filled("zxqv brrgl ")}`.slice(0, longest),
  );
  const right = decision === "ROUTE" && workflowId === plain?.workflow_id;
  assert.ok(right || decision === "LLM_REQUIRED", `${decision} ${workflowId ?? ""}`);
});

test("a text that asks for everything at once is declined", async ({ router }) => {
  const everything = catalog.workflows.map(({ examples }) => examples[0] ?? "").join(" ");
  const { decision, workflow_id: workflowId } = await asked(router, filled(`${everything} `));
  assert.equal({ decision, workflowId }, { decision: "LLM_REQUIRED", workflowId: null });
});
