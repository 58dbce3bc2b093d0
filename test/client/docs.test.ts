/** docs/how-to/client.md: its program compiles, and its example runs in front of a model against a real server. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { type RouteRequest, SluiceClient } from "../../client/index.js";
import { assert, packageRoot, test } from "../support/test.js";
import { codeBlocks, docPage } from "../support/doc-page.js";
import { aCalibration, aShortlist, aTier } from "../support/builders.js";
import { ruleCatalog, ruleCatalogIds, ruleRouter } from "../support/rule-router.js";
import { testModels } from "../support/models.js";
import { productionSettings, withServer } from "../serve/support/http.js";

const page = docPage("how-to/client.md");
const examplePath = join(packageRoot, "docs/examples/tools-first.mjs");
const chatLoopPath = join(packageRoot, "docs/examples/chat-loop.mjs");
const fewToolsPath = join(packageRoot, "docs/examples/few-tools.mjs");

interface Handled {
  readonly by: string;
  readonly done: boolean;
  readonly result?: unknown;
  readonly ask?: readonly string[];
}

interface Surroundings {
  readonly client: SluiceClient;
  readonly catalogVersion: string;
  readonly tools: Readonly<Record<string, { run(request: RouteRequest): Promise<string> }>>;
  readonly model: (request: RouteRequest, tools: object, why: string) => Promise<string>;
  readonly confirm: (workflowId: string) => Promise<boolean>;
}

type Handle = (request: RouteRequest, surroundings: Surroundings) => Promise<Handled>;

/** The example as a user has it: the package name stands for the built client. */
async function loadExample(): Promise<Handle> {
  const source = readFileSync(examplePath, "utf8");
  const client = pathToFileURL(join(packageRoot, "dist/client/index.js")).href;
  const folder = mkdtempSync(join(tmpdir(), "sluice-example-"));
  try {
    const file = join(folder, "tools-first.mjs");
    writeFileSync(file, source.replace('"sluice/client"', JSON.stringify(client)));
    return ((await import(pathToFileURL(file).href)) as { readonly handle: Handle }).handle;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the model of the example gets the tools of the shortlist, and none where nothing fits", async () => {
  const models = await testModels(ruleCatalog);
  const calibration = aCalibration({ shortlist: aShortlist({ entry: 0.3, share: 0.02 }) });
  const given: string[][] = [];
  const model = async (_request: RouteRequest, tools: object): Promise<string> => {
    given.push(Object.keys(tools));
    return "model";
  };
  const declining = { ...calibration, tiers: { ...calibration.tiers, low: aTier(null, null) } };
  const router = ruleRouter(models, { runtimeMode: "production", calibration: declining });
  try {
    await withServer(
      router,
      { settings: productionSettings, authorizer: async () => ruleCatalogIds },
      async (baseUrl) => {
        await handled({ text: "where is my order" }, { baseUrl, model });
        await handled({ text: "zebra" }, { baseUrl, model });
      },
    );
  } finally {
    await router.close();
  }
  assert.is(given[0]?.[0], "orders.status");
  assert.ok((given[0]?.length ?? 9) <= 3, String(given[0]));
  assert.equal(given[1], []);
});

interface Service {
  readonly client: SluiceClient;
  readonly catalogVersion: string;
}

interface FewTools {
  readonly activeTools: (
    text: string,
    workflowOf: Readonly<Record<string, string>>,
    service: Service,
  ) => Promise<readonly string[]>;
  readonly fewTools: <T>(text: string, tools: readonly T[], service: Service) => Promise<readonly T[]>;
}

/** The example of few tools, with a service whose lists are short. */
async function withFewTools(use: (example: FewTools, service: Service) => Promise<void>): Promise<void> {
  const example = (await import(pathToFileURL(fewToolsPath).href)) as FewTools;
  const models = await testModels(ruleCatalog);
  const router = ruleRouter(models, { calibration: aCalibration({ shortlist: aShortlist({ share: 0.1 }) }) });
  await withServer(router, { authorizer: async () => ruleCatalogIds }, async (baseUrl) => {
    await use(example, { client: new SluiceClient({ baseUrl }), catalogVersion: "catalog-1" });
  });
  await models.close();
}

const nothing = { type: "object", properties: {} } as const;

test("the AI SDK offers the model the tools of the shortlist, and runs the one that it calls", () =>
  withFewTools(async ({ activeTools }, service) => {
    const { generateText, jsonSchema, tool } = await import("ai");
    const { MockLanguageModelV3 } = await import("ai/test");
    const ran: string[] = [];
    const toolOf = (name: string) =>
      tool({ description: name, inputSchema: jsonSchema<object>(nothing), execute: async () => ran.push(name) });
    const tools = { order_status: toolOf("order_status"), refund: toolOf("refund") };
    const workflowOf = { order_status: "orders.status", refund: "invoices.refund" };
    const call = { type: "tool-call", toolCallId: "1", toolName: "order_status", input: "{}" } as const;
    const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
    const model = new MockLanguageModelV3({
      doGenerate: {
        content: [call],
        finishReason: { unified: "tool-calls", raw: "tool_calls" },
        usage: { inputTokens: tokens, outputTokens: { total: 1, text: 1, reasoning: 0 } },
        warnings: [],
      },
    });
    const offered = async (prompt: string): Promise<readonly string[]> => {
      const active = (await activeTools(prompt, workflowOf, service)) as (keyof typeof tools)[];
      await generateText({ model, tools, prompt, activeTools: active });
      return (model.doGenerateCalls.at(-1)?.tools ?? []).map(({ name }) => name);
    };
    assert.equal(await offered("where is my order"), ["order_status"]);
    assert.equal(ran, ["order_status"]);
    assert.equal(await offered("zebra"), []);
  }));

test("LangChain binds the model to the tools of the shortlist, which run as they are", () =>
  withFewTools(async ({ fewTools }, service) => {
    const { tool } = await import("@langchain/core/tools");
    const { FakeStreamingChatModel } = await import("@langchain/core/utils/testing");
    const toolOf = (name: string, workflow_id: string) =>
      tool(async () => `ran ${name}`, { name, description: name, schema: nothing, metadata: { workflow_id } });
    const tools = [toolOf("refund", "invoices.refund"), toolOf("order_status", "orders.status")];
    const few = await fewTools("where is my order", tools, service);
    const bound = new FakeStreamingChatModel({}).bindTools([...few]) as unknown as { readonly config: object };
    assert.match(JSON.stringify(bound.config), /"name":"order_status"/);
    assert.not.match(JSON.stringify(bound.config), /refund/);
    assert.is(await few[0]?.invoke({}), "ran order_status");
    assert.equal(await fewTools("zebra", tools, service), []);
  }));

/** What happened around the example for one request. */
async function handled(
  request: RouteRequest,
  change: Partial<Surroundings> & { readonly baseUrl: string; readonly allowed?: readonly string[] },
) {
  const handle = await loadExample();
  const calls: string[] = [];
  const ids = change.allowed ?? ruleCatalogIds;
  const result = await handle(request, {
    client: new SluiceClient({ baseUrl: change.baseUrl }),
    catalogVersion: "catalog-1",
    tools: Object.fromEntries(ids.map((id) => [id, { run: async () => `ran ${id}` }])),
    model: async (_request, _tools, why) => {
      calls.push(why);
      return "model";
    },
    confirm: async (id) => {
      calls.push(`confirm ${id}`);
      return true;
    },
    ...change,
  });
  return { result, calls };
}

test("the example runs routed workflows, passes on clarifying questions, and hands the rest to the model", async () => {
  const models = await testModels(ruleCatalog);
  const router = ruleRouter(models, { runtimeMode: "production", now: () => performance.now() });
  const options = { settings: productionSettings, authorizer: async () => ruleCatalogIds };
  try {
    await withServer(router, options, async (baseUrl) => {
      const order = await handled({ text: "where is my order" }, { baseUrl });
      assert.equal(order, { result: { by: "sluice", done: true, result: "ran orders.status" }, calls: [] });
      const refund = { text: "refund my last invoice" };
      assert.equal(await handled(refund, { baseUrl }), {
        result: { by: "sluice", done: true, result: "ran invoices.refund" },
        calls: ["confirm invoices.refund"],
      });
      const refused = await handled(refund, { baseUrl, confirm: async () => false });
      assert.equal(refused.result, { by: "person", done: false });
      const room = await handled({ text: "I need a meeting room" }, { baseUrl });
      assert.equal(room.result, { by: "sluice", done: false, ask: ["day"] });
      const booked = await handled({ text: "I need a meeting room", context: { day: "friday" } }, { baseUrl });
      assert.is(booked.result.result, "ran rooms.book");
      const rest = await handled({ text: "sing a zebra on monday" }, { baseUrl });
      assert.equal(rest, { result: { by: "model", done: true, result: "model" }, calls: ["BELOW_RISK_THRESHOLD"] });
      const twin = await handled({ text: "where is my order" }, { baseUrl, allowed: ["accounts.unlock"] });
      assert.equal(twin.calls, ["BETTER_MATCH_NOT_ALLOWED"]);
    });
  } finally {
    await models.close();
  }
});

interface Reply {
  readonly workflow_id: string | null;
  readonly reply: string;
}

interface Conversation extends Pick<Surroundings, "client" | "catalogVersion"> {
  readonly workflows: Readonly<Record<string, { run(text: string): Promise<string> }>>;
  readonly fallback: (text: string, answer: { readonly reason_code: string }) => Promise<Reply>;
}

type Converse = (texts: readonly string[], conversation: Conversation) => AsyncIterable<string>;

test("in the conversation of the example, a text that is incomplete goes to the fallback, which names its workflow", async () => {
  const { converse } = (await import(pathToFileURL(chatLoopPath).href)) as { readonly converse: Converse };
  const models = await testModels(ruleCatalog);
  const router = ruleRouter(models, { runtimeMode: "production", now: () => performance.now() });
  const replies: string[] = [];
  try {
    await withServer(
      router,
      { settings: productionSettings, authorizer: async () => ruleCatalogIds },
      async (baseUrl) => {
        const texts = [
          "where is my order",
          "where is my order now",
          "my account is locked",
          "my account is locked again",
        ];
        const conversation: Conversation = {
          client: new SluiceClient({ baseUrl }),
          catalogVersion: "catalog-1",
          workflows: Object.fromEntries(ruleCatalogIds.map((id) => [id, { run: async () => `ran ${id}` }])),
          fallback: async (_text, { reason_code }) => ({ workflow_id: "accounts.unlock", reply: reason_code }),
        };
        for await (const reply of converse(texts, conversation)) replies.push(reply);
      },
    );
  } finally {
    await models.close();
  }
  assert.equal(replies, ["ran orders.status", "ran orders.status", "CONTEXT_NEEDED", "ran accounts.unlock"]);
});

test("while the service is down the model gets everything, and a request of ours that is wrong is thrown", async () => {
  const models = await testModels(ruleCatalog);
  const router = ruleRouter(models, { now: () => performance.now() });
  try {
    let address = "";
    await withServer(router, { settings: productionSettings }, async (baseUrl) => {
      address = baseUrl;
      const wrong = handled({ text: "where is my order" }, { baseUrl, catalogVersion: "catalog-0" });
      assert.match(String(await wrong.catch((error: unknown) => error)), /CATALOG_VERSION_MISMATCH/);
    });
    const down = await handled({ text: "where is my order" }, { baseUrl: address });
    assert.equal(down, { result: { by: "model", done: true, result: "model" }, calls: ["SERVICE_UNAVAILABLE"] });
  } finally {
    await models.close();
  }
});

/** Compiler messages for a program that imports the client by the name of the package, without types of Node. */
function messagesOf(program: string): readonly string[] {
  const file = join(packageRoot, "client", "program.ts");
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const text = program.replace('"sluice/client"', '"./index.js"');
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, language) =>
    name === file ? ts.createSourceFile(name, text, language) : readSource(name, language);
  const exists = host.fileExists.bind(host);
  host.fileExists = (name) => name === file || exists(name);
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([file], options, host));
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}

test("the program of the page compiles for a browser, and wrong uses do not", () => {
  const [program = ""] = codeBlocks(page, "ts");
  assert.equal(messagesOf(program), []);
  assert.match(messagesOf(program.replace("text:", "texts:")).join(" "), /texts/);
  const outside = `import type { Answer } from "sluice/client";\n`;
  assert.match(messagesOf(`${outside}export const id = (a: Answer): string => a.workflow_id;`).join(" "), /null/);
  const narrowed = `${outside}export const id = (a: Answer): string => (a.decision === "ROUTE" ? a.workflow_id : "");
export const input = (a: Answer): string => (a.decision === "CLARIFY" && a.workflow_id !== null ? a.missing_inputs[0] : "");`;
  assert.equal(messagesOf(narrowed), []);
});
