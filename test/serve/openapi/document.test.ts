/** docs/openapi.json, the client generated from it, and what a server answers, say the same. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Compile } from "typebox/compile";
import type { TSchema } from "../../../src/base/typebox.js";
import ts from "typescript";
import { errorCodes } from "../../../src/base/error-codes.js";
import { ApiSettings } from "../../../serve/settings.js";
import { openApiDocument } from "../../../serve/openapi/document.js";
import { assert, packageRoot, test } from "../../support/test.js";
import { clientMessages, clientPath } from "../../support/client-compiler.js";
import { generateClient } from "../../support/generate-client.js";
import { fixtureRouter } from "../support/fixture-router.js";
import { type Answer, goodBody, post, send, withServer } from "../support/http.js";

const documentPath = join(packageRoot, "docs/openapi.json");

/** Compares a generated file with the committed one, which has the format of every file; UPDATE_GOLDEN=1 writes it. */
function assertCommitted(path: string, generated: string): void {
  const biome = join(packageRoot, "node_modules/.bin/biome");
  const formatted = spawnSync(biome, ["format", `--stdin-file-path=${path}`], {
    cwd: packageRoot,
    input: generated,
    encoding: "utf8",
  });
  assert.is(formatted.status, 0, formatted.stderr);
  const text = formatted.stdout;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, text);
  assert.ok(existsSync(path), `${path} is not there; run with UPDATE_GOLDEN=1`);
  assert.is(readFileSync(path, "utf8"), text, `${path} differs; run with UPDATE_GOLDEN=1`);
}

const document = openApiDocument();
const development = { settings: ApiSettings.development() };

test("docs/openapi.json is what the schemas say", () => {
  assertCommitted(documentPath, `${JSON.stringify(document, null, 2)}\n`);
});

test("the generated client is committed as it is generated", () => {
  assertCommitted(clientPath, generateClient(document));
});

test("every reference resolves to a schema, and every property is described", () => {
  const text = JSON.stringify(document);
  for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([A-Za-z]+)"/gu)) {
    assert.ok(document.components.schemas[name] !== undefined, name);
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    for (const [field, value] of Object.entries((schema as { properties: Record<string, object> }).properties)) {
      assert.ok("description" in value && String(value.description).length > 5, `${name}.${field}`);
    }
  }
});

test("a development server serves the committed description, a production server has none", async () => {
  await withServer(fixtureRouter({ mode: "development" }), development, async (base) => {
    const answer = await send(base, { path: "/openapi.json" });
    assert.equal(answer.body, JSON.parse(readFileSync(documentPath, "utf8")));
    assert.is(answer.headers["cache-control"], "no-store");
    assert.is((await send(base, { method: "DELETE", path: "/openapi.json" })).headers.allow, "GET, HEAD");
  });
  await withServer(fixtureRouter(), {}, async (base) => {
    assert.is((await send(base, { path: "/openapi.json" })).status, 404);
  });
});

/** The schema that the document gives for an answer, with its references resolved. */
function schemaOf(path: string, method: string, answer: Answer): TSchema {
  const described = document.paths[path]?.[method]?.responses[String(answer.status)];
  const type = String(answer.headers["content-type"]).split(";", 1)[0] ?? "";
  const schema = described?.content[type]?.schema;
  assert.ok(schema !== undefined, `${method} ${path} ${answer.status} ${type} is not described`);
  return resolved(schema) as TSchema;
}

function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as { readonly $ref?: string };
  const target = $ref === undefined ? {} : document.components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)];
  return Object.fromEntries(Object.entries({ ...target, ...rest }).map(([key, item]) => [key, resolved(item)]));
}

test("answers of a real server satisfy the schema of their status", async () => {
  const broken = fixtureRouter();
  await withServer(broken, {}, async (base) => {
    const calls: readonly (readonly [string, string, Answer])[] = [
      ["/v1/route", "post", await post(base, goodBody)],
      ["/v1/route", "post", await post(base, { ...goodBody, allowed_workflow_ids: [] })],
      ["/v1/route", "post", await post(base, { ...goodBody, catalog_version: "old" })],
      ["/v1/route", "post", await post(base, { text: "" })],
      ["/v1/route", "post", await post(base, "x".repeat(200_000))],
      ["/v1/route", "post", await post(base, goodBody, { "content-type": "text/xml" })],
      ["/v1/route", "post", await post(base, goodBody, { host: "evil.example" })],
      ["/health", "get", await send(base, { path: "/health" })],
      ["/health/live", "get", await send(base, { path: "/health/live" })],
      ["/health/ready", "get", await send(base, { path: "/health/ready" })],
    ];
    broken.problems.push("HASH_MISMATCH");
    const notReady = await send(base, { path: "/health/ready" });
    assert.is(notReady.status, 503);
    for (const [path, method, answer] of [...calls, ["/health/ready", "get", notReady] as const]) {
      assert.ok(Compile(schemaOf(path, method, answer)).Check(answer.body), `${path} ${answer.status} ${answer.text}`);
    }
  });
  await withServer(fixtureRouter({ mode: "development" }), development, async (base) => {
    const answer = await post(base, { ...goodBody, debug: true });
    assert.ok(Compile(schemaOf("/v1/route", "post", answer)).Check(answer.body), answer.text);
    assert.ok(Array.isArray(answer.body["candidates"]));
  });
});

/** Values of one field, for which the description and the server must agree. */
const fieldValues: Readonly<Record<string, readonly unknown[]>> = {
  text: ["a", "", " ", "\t\n", "\u00a0", "\ufeff", "x".repeat(8000), "x".repeat(8001), 7, null, ["a"]],
  request_id: ["a", "", "a b", "-a", "a".repeat(160), "a".repeat(161), null, 7],
  context: [
    {},
    null,
    [],
    "x",
    ...['{"__proto__":1}', '{"constructor":1}', '{"constructor":{}}', '{"constructor":{"prototype":1}}'].map(
      (json): unknown => JSON.parse(json),
    ),
    { nested: [null, { deep: true }] },
  ],
  catalog_version: ["cat-1", "", " ", "x".repeat(161), null, 7],
  allowed_workflow_ids: [[], null, ["card.block"], ["card.block", "card.block"], ["A"], [7], "card.block"],
  blocked_workflow_ids: [[], null, ["card.order"], ["card.order", "card.order"], ["a"]],
  event_type: ["order.asked", "", "7", "a b", "a".repeat(161), null],
  debug: [true, false, null, 1, "true"],
  unknown_field: [1],
};

test("the description and the server refuse the same bodies", async () => {
  const described = Compile(resolved(document.components.schemas["RouteRequest"]) as TSchema);
  const both = { refused: 0, taken: 0 };
  await withServer(fixtureRouter(), {}, async (base) => {
    const compare = async (body: object): Promise<void> => {
      const isDescribed = described.Check(body);
      const { status } = await post(base, body);
      assert.is(status !== 422, isDescribed, `${status} for ${JSON.stringify(body).slice(0, 120)}`);
      both[isDescribed ? "taken" : "refused"] += 1;
    };
    for (const [field, values] of Object.entries(fieldValues)) {
      for (const value of values) await compare({ ...goodBody, [field]: value });
    }
    for (const body of [{}, { context: {} }, []]) await compare(body);
  });
  assert.ok(both.refused > 30 && both.taken > 15, JSON.stringify(both));
});

test("the header x-request-id has no rule in the description, because one that breaks the grammar is replaced", async () => {
  const [header] = document.paths["/v1/route"]?.["post"]?.parameters ?? [];
  assert.equal(header?.["schema"], { type: "string" });
  await withServer(fixtureRouter(), {}, async (base) => {
    for (const id of ["x".repeat(161), "a b", "-"]) {
      const answer = await post(base, goodBody, { "x-request-id": id });
      assert.is(answer.status, 200);
      assert.not.equal(answer.headers["x-request-id"], id);
    }
  });
});

test("every status that the document names for a failure names the codes of that status", () => {
  const answers = Object.entries(document.paths["/v1/route"]?.["post"]?.responses ?? {});
  assert.equal(
    answers.map(([status]) => status),
    ["200", "400", "403", "408", "409", "413", "414", "415", "417", "422", "431", "500", "501", "503"],
  );
  for (const [status, { description }] of answers.slice(1)) {
    for (const [, code = ""] of description.matchAll(/([A-Z_]{6,}):/gu)) {
      assert.is(String(errorCodes[code as keyof typeof errorCodes].httpStatus), status, code);
    }
  }
});

test("types that another generator makes from the description compile under strict settings", async () => {
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const types = astToString(await openapiTS(readFileSync(documentPath, "utf8")));
  const use = `${types}
type Route = paths["/v1/route"]["post"];
export const asked: Route["requestBody"]["content"]["application/json"] = { text: "x", debug: true };
export const codeOf = (problem: Route["responses"][422]["content"]["application/problem+json"]): string => problem.code;
`;
  assert.equal(clientMessages(use), []);
  assert.match(clientMessages(use.replace("debug: true", 'debug: "yes"')).join(" "), /boolean/);
});

const good = `import { SluiceClient } from "./route-client.js";
const answer = await new SluiceClient("http://127.0.0.1").route({ text: "x", debug: true });
const chosen: string | null = answer.ok ? answer.body.workflow_id : null;
const code: string = answer.ok ? answer.body.reason_code : answer.problem.code;
export const shown = [chosen, code];
`;

test("the client compiles under strict settings, and wrong uses do not", () => {
  assert.equal(clientMessages(good), []);
  assert.match(clientMessages(good.replace("debug: true", 'debug: "yes"')).join(" "), /boolean/);
  assert.match(
    clientMessages(good.replace("body.workflow_id", "body.workflow")).join(" "),
    /Property .workflow. does not exist/,
  );
  assert.match(clientMessages(good.replace("text:", "texts:")).join(" "), /texts/);
});

interface Client {
  route(body: object): Promise<{ ok: boolean; status: number; body?: { workflow_id: string }; problem?: object }>;
  ready(): Promise<{ ok: boolean; status: number; body: { ready: boolean } }>;
}

test("the client talks to a real server", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-client-"));
  const file = join(folder, "route-client.mjs");
  const { outputText } = ts.transpileModule(readFileSync(clientPath, "utf8"), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  writeFileSync(file, outputText);
  const { SluiceClient } = (await import(pathToFileURL(file).href)) as { SluiceClient: new (base: string) => Client };
  const router = fixtureRouter();
  await withServer(router, {}, async (base) => {
    const client = new SluiceClient(base);
    const routed = await client.route(goodBody);
    assert.equal([routed.ok, routed.status, routed.body?.workflow_id], [true, 200, "card.block"]);
    const refused = await client.route({ ...goodBody, text: "" });
    assert.equal([refused.ok, refused.status], [false, 422]);
    assert.is((refused.problem as { code: string }).code, "REQUEST_INVALID");
    router.problems.push("HASH_MISMATCH");
    const ready = await client.ready();
    assert.equal([ready.ok, ready.status, ready.body.ready], [true, 503, false]);
  });
  rmSync(folder, { recursive: true });
});
