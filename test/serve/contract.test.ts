/**
 * One check for each row of each table of the specification, for each problem and for the service as a whole, against a
 * real server over TCP with real models, in both modes. The last tests see that no row, code or limit is left out.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultPolicy } from "../../src/documents/policy.js";
import type { RuntimeMode } from "../../src/documents/response.js";
import { ApiSettings, AuthorizationDenied, createApp, loadProductionRouter, RouterRuntime } from "../../serve/index.js";
import { assert, rejects, shared, test, testWith, testWithShared, throws } from "../support/test.js";
import { anInput, aWorkflow, aCatalog, someWorkflows } from "../support/builders.js";
import { problemChecks, sameCodesEverywhere } from "./support/contract-problems.js";
import { serviceChecks } from "./support/contract-service.js";
import { type Check, type ContractWorld, contractWorld, modelRouter } from "./support/contract-world.js";
import { type Answer, post, send } from "./support/http.js";
import { bundleOptions } from "./support/released-bundle.js";

/** Checks by heading and first cell of the row; methods and paths count as one cell. */
type Table = Readonly<Record<string, Check>>;

const ask = (world: ContractWorld, change: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  post(world.base, { ...world.good, ...change }, headers);

async function expectStatus(world: ContractWorld, change: object, status: number): Promise<Answer> {
  const answer = await ask(world, change);
  assert.is(answer.status, status, `${JSON.stringify(change).slice(0, 100)}: ${answer.text}`);
  return answer;
}

async function expectReason(world: ContractWorld, change: object, reason: string): Promise<void> {
  const answer = await expectStatus(world, change, 200);
  assert.is(answer.body["reason_code"], reason);
}

async function expectInvalid(world: ContractWorld, field: string, ...values: readonly unknown[]): Promise<void> {
  for (const value of values) {
    const answer = await expectStatus(world, { [field]: value }, 422);
    const [fault] = answer.body["errors"] as { path: string }[];
    assert.is(fault?.path, `/${field}`);
  }
}

const request: Table = {
  text: async (world) => {
    await expectStatus(world, { text: "w" }, 200);
    await expectStatus(world, { text: "x".repeat(8000) }, 200);
    await expectInvalid(world, "text", "", "x".repeat(8001), null, 7);
    assert.is((await post(world.base, { ...world.good, text: undefined })).status, 422);
  },
  request_id: async (world) => {
    assert.is((await expectStatus(world, { request_id: "mine/1" }, 200)).body["request_id"], "mine/1");
    assert.match(
      String((await expectStatus(world, { request_id: null }, 200)).body["request_id"]),
      /^req_[0-9a-f]{32}$/,
    );
    await expectInvalid(world, "request_id", "", "a b", 7);
  },
  context: async (world) => {
    await expectStatus(world, { context: { order_number: "7", nested: { list: [1, null, true] } } }, 200);
    await expectInvalid(world, "context", null, [], "x", nested(33));
    await expectStatus(world, { context: nested(32) }, 200);
  },
  catalog_version: async (world) => {
    assert.is((await expectStatus(world, { catalog_version: "other" }, 409)).body["code"], "CATALOG_VERSION_MISMATCH");
    await expectReason(
      world,
      { catalog_version: null },
      world.mode === "production" ? "CATALOG_VERSION_REQUIRED" : routed,
    );
    await expectInvalid(world, "catalog_version", "", 7);
  },
  allowed_workflow_ids: async (world) => {
    await expectReason(world, { allowed_workflow_ids: null }, routed);
    await expectReason(world, { allowed_workflow_ids: [] }, "NO_ELIGIBLE_WORKFLOW");
    await expectInvalid(world, "allowed_workflow_ids", "orders.status", [7], ["a.b.c", "a.b.c"]);
  },
  blocked_workflow_ids: async (world) => {
    await expectReason(world, { blocked_workflow_ids: ["orders.status"] }, "NO_ELIGIBLE_WORKFLOW");
    await expectStatus(world, { blocked_workflow_ids: [] }, 200);
    await expectInvalid(world, "blocked_workflow_ids", null, ["A"]);
  },
  event_type: async (world) => {
    await expectReason(world, { event_type: "order.asked" }, routed);
    await expectInvalid(world, "event_type", "", "a b", 7);
  },
  debug: async (world) => {
    const { candidates } = (await expectStatus(world, { debug: true }, 200)).body;
    assert.is(Array.isArray(candidates), world.mode === "development");
    await expectInvalid(world, "debug", "true", null);
  },
};
const routed = "ACCEPTED_LOW_RISK";

function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level += 1) value = { inner: value };
  return value;
}

const field =
  (name: string, holds: (value: unknown, world: ContractWorld) => boolean): Check =>
  async (world) => {
    const { body } = await expectStatus(world, {}, 200);
    assert.ok(holds(body[name], world), `${name} is ${JSON.stringify(body[name])}`);
  };

const response: Table = {
  request_id: field("request_id", (value) => typeof value === "string"),
  decision: async (world) => {
    assert.is((await ask(world)).body["decision"], "ROUTE");
    assert.is((await ask(world, { allowed_workflow_ids: [] })).body["decision"], "LLM_REQUIRED");
  },
  workflow_id: async (world) => {
    assert.is((await ask(world)).body["workflow_id"], "orders.status");
    assert.is((await ask(world, { allowed_workflow_ids: [] })).body["workflow_id"], null);
  },
  confidence: field("confidence", (value) => typeof value === "number" && value > 0 && value <= 1),
  reason_code: field("reason_code", (value) => value === routed),
  missing_inputs: field("missing_inputs", (value) => Array.isArray(value) && value.length === 0),
  confirmation_required: async (world) => {
    assert.is((await ask(world)).body["confirmation_required"], false);
    const confirmed = await ask(world, { text: "refund my last invoice", allowed_workflow_ids: ["invoices.refund"] });
    assert.equal([confirmed.body["workflow_id"], confirmed.body["confirmation_required"]], ["invoices.refund", true]);
  },
  model_version: field("model_version", (value) => typeof value === "string" && value.includes("+")),
  calibration_version: field("calibration_version", (value) => value === "calibration-1"),
  catalog_version: field("catalog_version", (value) => value === "catalog-1"),
  runtime_mode: field("runtime_mode", (value, { mode }) => value === mode),
  latency_ms: field("latency_ms", (value) => typeof value === "number" && value >= 0),
  candidates: field("candidates", (value) => value === null),
};

const health: Table = Object.fromEntries(
  Object.entries({
    status: () => "ok",
    ready: () => true,
    model_version: ({ runtime }: ContractWorld) => runtime.router.lineage.model_version,
    calibration_version: () => "calibration-1",
    catalog_version: () => "catalog-1",
    runtime_mode: ({ mode }: ContractWorld) => mode,
    generation: ({ runtime }: ContractWorld) => runtime.snapshot().generation,
  }).map(([name, expected]) => [
    name,
    async (world: ContractWorld) =>
      assert.is((await send(world.base, { path: "/health" })).body[name], expected(world), name),
  ]),
);

/** A second router of the same mode and catalog. */
const another = (world: ContractWorld) =>
  world.mode === "production" ? loadProductionRouter(bundleOptions(world.folder)) : modelRouter(world.mode);

async function replaceAndRollBack(
  { runtime }: ContractWorld,
  next: Awaited<ReturnType<typeof another>>,
): Promise<void> {
  const { generation, router } = runtime.snapshot();
  assert.is(runtime.replace(next, { expectedGeneration: generation }).generation, generation + 1);
  throws(() => runtime.rollback({ expectedGeneration: generation }), "GENERATION_STALE");
  const back = runtime.rollback({ expectedGeneration: generation + 1 });
  assert.equal([back.generation, back.router === router], [generation + 2, true]);
}

const configuration: Table = {
  load_production_router: async (world) => {
    if (world.mode === "development") return;
    const router = await loadProductionRouter({ ...bundleOptions(world.folder), topK: 8 });
    assert.is(router.lineage.runtime_mode, "production");
    await router.close();
    const events = { ...bundleOptions(world.folder), allowExactEventRoutes: true };
    await rejects(loadProductionRouter(events), "IDENTITY_MISMATCH");
  },
  "ApiSettings.production_defaults": async () => {
    const settings = ApiSettings.productionDefaults({ trustedHosts: ["a.example"], corsOrigins: [] });
    assert.equal([settings.production, settings.corsOrigins], [true, []]);
  },
  create_app: async (world) => {
    const { runtime } = world;
    if (world.mode === "production") throws(() => createApp(runtime), "PRODUCTION_CONFIGURATION");
    else await createApp(runtime).close();
  },
  RouterRuntime: async ({ runtime }) => assert.ok(runtime instanceof RouterRuntime),
  "RouterRuntime.snapshot": async ({ runtime }) => assert.type(runtime.snapshot().generation, "number"),
  "RouterRuntime.replace": async (world) => {
    const next = await another(world);
    throws(() => world.runtime.replace(next, { expectedGeneration: 999 }), "GENERATION_STALE");
    await replaceAndRollBack(world, next);
  },
  "RouterRuntime.rollback": async (world) => replaceAndRollBack(world, await another(world)),
};

/** Damages the calibration of the bundle, or puts it back, and waits until a server has noticed. */
async function untilReady(world: ContractWorld, ready: boolean): Promise<Answer> {
  for (;;) {
    const answer = await send(world.base, { path: "/health/ready" });
    if ((answer.status === 200) === ready) return answer;
  }
}

async function withDamagedBundle(world: ContractWorld, use: () => Promise<void>): Promise<void> {
  const file = join(world.folder, "bundle/calibration.json");
  const bytes = readFileSync(file);
  writeFileSync(file, `${bytes.toString("utf8")} `);
  try {
    await use();
  } finally {
    writeFileSync(file, bytes);
    await untilReady(world, true);
  }
}

const notReady: Check = async (world) => {
  if (world.mode === "development") return;
  await withDamagedBundle(world, async () => {
    assert.is((await untilReady(world, false)).body["status"], "not_ready");
    assert.is((await send(world.base, { path: "/health/live" })).status, 200);
    assert.is((await send(world.base, { path: "/health" })).status, 200);
  });
};

const states: Table = {
  "Active bundle generation N, ready": async (world) => {
    await replaceAndRollBack(world, await another(world));
    const other = await modelRouter(world.mode === "production" ? "development" : "production");
    const { generation } = world.runtime.snapshot();
    throws(() => world.runtime.replace(other, { expectedGeneration: generation }), "MODE_CHANGE");
    await other.close();
  },
  "Active bundle after a replace": async (world) => replaceAndRollBack(world, await another(world)),
  Ready: notReady,
  "Not ready": notReady,
  "Not started": async (world) => {
    if (world.mode === "development") return;
    await withDamagedBundle(world, async () => {
      await rejects(loadProductionRouter(bundleOptions(world.folder)), "HASH_MISMATCH");
    });
  },
};

const endpoints: Table = {
  "GET /health": async ({ base }) => assert.is((await send(base, { path: "/health" })).status, 200),
  "GET /health/live": async ({ base }) => {
    assert.equal((await send(base, { path: "/health/live" })).body, { status: "ok" });
  },
  "GET /health/ready": async (world) => {
    assert.is((await send(world.base, { path: "/health/ready" })).status, 200);
    await notReady(world);
  },
  "POST /v1/route": async (world) => {
    assert.is((await ask(world)).status, 200);
    assert.is((await send(world.base, { path: "/v1/route" })).status, 405);
    const description = await world.app.inject({ url: "/openapi.json", headers: { host: "127.0.0.1" } });
    assert.is(description.statusCode, world.mode === "production" ? 404 : 200);
  },
};

const errors: Table = {
  "200": async (world) => expectReason(world, { allowed_workflow_ids: [] }, "NO_ELIGIBLE_WORKFLOW"),
  "403": async (world) => {
    const answer = await ask(world, {}, { "x-user": "eve" });
    assert.equal([answer.status, answer.body["code"]], [403, "AUTHORIZATION_DENIED"]);
    assert.is(new AuthorizationDenied().name, "AuthorizationDenied");
  },
  "409": async (world) => void (await expectStatus(world, { catalog_version: "catalog-0" }, 409)),
  "413": async (world) => void (await expectStatus(world, { context: { pad: "x".repeat(131_072) } }, 413)),
  "422": async (world) => void (await expectStatus(world, { colour: "red" }, 422)),
  "503": notReady,
  "Backend failure in production": async (world) => {
    const broken = await modelRouter(world.mode);
    const { generation } = world.runtime.snapshot();
    world.runtime.replace(broken, { expectedGeneration: generation });
    await broken.close();
    await expectReason(world, {}, "BACKEND_UNAVAILABLE");
    world.runtime.rollback({ expectedGeneration: generation + 1 });
    await expectReason(world, {}, routed);
  },
  "Routing bundle fails its integrity check before a request": async (world) => {
    if (world.mode === "development") return;
    await withDamagedBundle(world, () => expectReason(world, {}, "RUNTIME_INTEGRITY_FAILURE"));
    await expectReason(world, {}, routed);
  },
};

/** A workflow with patterns that an engine with backtracking would not finish. */
async function costlyPatterns(mode: RuntimeMode) {
  const input = anInput({ pattern: "(?P<value>(a+)+)$" });
  const workflows = someWorkflows().map((w) =>
    w.workflow_id === "orders.status" ? aWorkflow({ required_inputs: [input] }) : w,
  );
  return modelRouter(mode, aCatalog({ workflows }));
}

const limits: Table = {
  "text length": (world) => (request["text"] as Check)(world),
  "Request-body size": (world) => (errors["413"] as Check)(world),
  "Context size in production": async (world) => {
    await expectReason(world, { context: { pad: "x".repeat(65_536) } }, "CONTEXT_TOO_LARGE");
  },
  "Regex extraction time in production": async (world) => {
    const { generation } = world.runtime.snapshot();
    world.runtime.replace(await costlyPatterns(world.mode), { expectedGeneration: generation });
    const begin = performance.now();
    await expectStatus(world, { text: `where is my order ${"a".repeat(2000)}!` }, 200);
    assert.ok(performance.now() - begin < 2000);
    world.runtime.rollback({ expectedGeneration: generation + 1 });
  },
  "Candidates per request": async (world) => {
    if (world.mode === "production") {
      await rejects(loadProductionRouter({ ...bundleOptions(world.folder), topK: 7 }), "IDENTITY_MISMATCH");
      return;
    }
    const { candidates } = (await ask(world, { allowed_workflow_ids: null, debug: true })).body;
    assert.is((candidates as unknown[]).length, 2);
  },
  "Rate limiting": async (world) => {
    const answers = await Promise.all(Array.from({ length: 64 }, () => ask(world)));
    for (const { status } of answers) assert.is(status, 200);
  },
};

const tables: Readonly<Record<string, Table>> = {
  "Route request": request,
  "Route response": response,
  "Health response": health,
  "Configuration interface": configuration,
  "States and transitions": states,
  Endpoints: endpoints,
  Errors: errors,
  Limits: limits,
};

const headCells = new Set(["Field", "Operation", "State", "Method Path", "HTTP status", "Condition", "Limit"]);

for (const mode of ["development", "production"] as const) {
  const inMode = testWith<{ world: ContractWorld }>(`in ${mode}`);
  inMode.before(async (context) => {
    context.world = await contractWorld(mode);
  });
  inMode.after(({ world }) => world.close());
  const all = { ...tables, Problems: problemChecks, Service: serviceChecks };
  for (const [heading, table] of Object.entries(all)) {
    for (const [row, check] of Object.entries(table)) {
      inMode(`${heading}: ${row}`, ({ world }) => check(world));
    }
  }
}

testWithShared(test, "every row of every table of the specification has its check", () => {
  let heading = "";
  let rows = 0;
  for (const line of readFileSync(shared("spec.txt"), "utf8").split("\n")) {
    if (line.startsWith("#")) heading = line.replace(/^#+ /u, "");
    if (!line.startsWith("|") || line.startsWith("|---")) continue;
    const [, first = "", second = ""] = line.split("|").map((cell) => cell.replaceAll("`", "").trim());
    const [name, table] = Object.entries(tables).find(([key]) => heading.startsWith(key)) ?? ["", {}];
    const row = name === "Endpoints" ? `${first} ${second}` : first;
    if (headCells.has(row)) continue;
    assert.ok(row in table, `${heading}: ${row}`);
    rows += 1;
  }
  assert.is(rows, Object.values(tables).flatMap((table) => Object.keys(table)).length);
});

test("the description, the page and these tests name the same codes", sameCodesEverywhere);

test("the limits that the specification leaves open have their documented values", () => {
  assert.equal([defaultPolicy.max_context_bytes, defaultPolicy.pattern_budget_ms], [65_536, 25]);
  const settings = ApiSettings.productionDefaults({ trustedHosts: ["a.example"], corsOrigins: [] });
  assert.is(settings.bodyLimitBytes, 2_097_152);
});
