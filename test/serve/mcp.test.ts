/** The Model Context Protocol, with the client of its official SDK, over HTTP with a real bundle and over streams. */
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { serveStreams } from "../../serve/mcp/find-tools.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { assert, pluck, test } from "../support/test.js";
import { aCalibration, aRouteRequest, aShortlist } from "../support/builders.js";
import { deskAndClerk, inServedFolder } from "../support/served-bundles.js";
import { fixtureRouter } from "./support/fixture-router.js";
import { send, withServer } from "./support/http.js";
import { RouterRuntime } from "../../src/router/runtime.js";
import type { BundleMonitor } from "../../src/documents/router.js";

interface Found {
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly complete: boolean;
  readonly reason_code: string;
}

const refundTool = { tool_name: "Refund.Invoice", input_schema: { type: "object", required: ["no"], properties: {} } };

/** The catalog in which refunds were drafted from a tool list. */
function withTool(catalog: Buffer | undefined): Buffer {
  const document = JSON.parse(String(catalog)) as { readonly workflows: readonly { readonly workflow_id: string }[] };
  const workflows = document.workflows.map((workflow) =>
    workflow.workflow_id === "invoices.refund" ? { ...workflow, metadata: refundTool } : workflow,
  );
  return canonicalBytes({ ...document, workflows });
}

function served(use: (address: string) => Promise<void>, mcp = true): Promise<void> {
  return inServedFolder(async (folder) => {
    const bundle = await folder.bundle(1, {
      files: (files) => {
        files.set("catalog.yaml", withTool(files.get("catalog.yaml")));
        files.set("calibration.json", canonicalBytes(aCalibration({ shortlist: aShortlist() })));
      },
    });
    const { address } = await folder.start({ bundle, authorizer: deskAndClerk(folder), mcp });
    await use(address);
  });
}

async function connected(address: string, user: string, use: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ name: "test", version: "1" });
  const options = { requestInit: { headers: { "x-user": user } } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), options) as Transport);
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

const found = async (client: Client, query: unknown): Promise<Found> =>
  (await client.callTool({ name: "find_tools", arguments: { query } })).structuredContent as unknown as Found;

test("a client finds one tool, and with it the tools of the shortlist as the catalog has them", () =>
  served((address) =>
    connected(address, "desk", async (client) => {
      const { tools } = await client.listTools();
      assert.equal(pluck(tools, "name"), ["find_tools"]);
      const { tools: listed, reason_code: reason } = await found(client, "where is my order");
      assert.is(reason, "SHORTLISTED");
      const [first] = listed;
      assert.equal(Object.keys(first ?? {}), [
        "name",
        "title",
        "description",
        "input_schema",
        "workflow_id",
        "confidence",
        "missing_inputs",
      ]);
      assert.is(first?.["name"], "orders.status");
      assert.equal(first?.["input_schema"], { type: "object", properties: {}, required: [] });
      const [refund] = (await found(client, "refund my last invoice")).tools;
      assert.equal(
        [refund?.["name"], refund?.["workflow_id"], refund?.["input_schema"]],
        [refundTool.tool_name, "invoices.refund", refundTool.input_schema],
      );
    }),
  ));

test("tools outside of the caller's grant are not found, and a stranger is denied", () =>
  served(async (address) => {
    await connected(address, "clerk", async (client) => {
      for (const query of ["where is my order", "refund my last invoice", "my account is locked", "zebra"]) {
        const names = (await found(client, query)).tools.map(({ name }) => name);
        assert.ok(
          names.every((name) => name === refundTool.tool_name),
          String(names),
        );
      }
      assert.is((await found(client, "where is my order")).reason_code, "BETTER_MATCH_NOT_ALLOWED");
    });
    let message = "";
    await connected(address, "stranger", async () => undefined).catch((error: unknown) => (message = String(error)));
    assert.match(message, "AUTHORIZATION_DENIED");
  }));

test("a query that follows another finds tools only if they begin with the tool that served that one", () =>
  served((address) =>
    connected(address, "desk", async (client) => {
      const query = "where is my order";
      const after = async (previous: string | null): Promise<Found> => {
        const asked = { query, previous_workflow_id: previous };
        return (await client.callTool({ name: "find_tools", arguments: asked })).structuredContent as unknown as Found;
      };
      const alone = await found(client, query);
      assert.is(alone.reason_code, "SHORTLISTED");
      assert.equal(await after("orders.status"), alone);
      assert.equal((await after("invoices.refund")).reason_code, "CONTEXT_NEEDED");
      assert.equal((await after(null)).tools, []);
    }),
  ));

test("what is no query is answered as a failed call, and another tool is refused", () =>
  served((address) =>
    connected(address, "desk", async (client) => {
      for (const query of ["", 7, undefined, "x".repeat(8001)]) {
        const result = await client.callTool({ name: "find_tools", arguments: { query } });
        assert.is(result.isError, true, String(query).slice(0, 10));
      }
      const more = await client.callTool({
        name: "find_tools",
        arguments: { query: "x", allowed_workflow_ids: ["a"] },
      });
      assert.is(more.isError, true);
      let message = "";
      await client
        .callTool({ name: "orders.status", arguments: {} })
        .catch((error: unknown) => (message = String(error)));
      assert.match(message, "the only tool is find_tools");
    }),
  ));

test("only POST is answered, and nothing without the option", async () => {
  const headers = { "x-user": "desk" };
  await served(async (address) => {
    const answer = await send(address, { method: "GET", path: "/mcp", headers });
    assert.equal([answer.status, answer.headers["allow"]], [405, "POST"]);
    assert.is((await send(address, { path: "/mcp", headers, body: { jsonrpc: "2.0" } })).status, 406);
  });
  await served(async (address) => {
    assert.is((await send(address, { path: "/mcp", headers, body: {} })).status, 404);
  }, false);
});

const mcpHeaders = { accept: "application/json, text/event-stream" };
const call = (query: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "find_tools", arguments: { query } },
});

test("messages that are no calls are answered by the codes of the protocol", () =>
  served(async (address) => {
    const headers = { ...mcpHeaders, "x-user": "desk" };
    const ask = (body: object, more: object = {}) =>
      send(address, { path: "/mcp", body, headers: { ...headers, ...more } });
    const code = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
      (body["error"] as { readonly code: number }).code;
    const rpc = { jsonrpc: "2.0", id: "a" };
    assert.equal((await ask({ ...rpc, method: "ping" })).body, { ...rpc, result: {} });
    const unknown = await ask({ ...rpc, method: "resources/list" });
    assert.equal([unknown.status, unknown.body["id"], code(unknown)], [200, "a", -32601]);
    assert.is(code(await ask({ ...rpc, method: "initialize", params: {} })), -32602);
    assert.is(code(await ask({ ...rpc, method: "tools/call", params: { name: "other" } })), -32602);
    for (const invalid of [{}, { ...rpc }, { ...rpc, id: null, method: "ping" }, { ...rpc, method: 7 }]) {
      const answer = await ask(invalid);
      assert.equal([answer.status, code(answer), answer.body["id"]], [400, -32600, null], JSON.stringify(invalid));
    }
    assert.is((await ask({ jsonrpc: "2.0", method: "notifications/initialized" })).status, 202);
    assert.is((await ask({ ...rpc, method: "ping" }, { "mcp-protocol-version": "1999-01-01" })).status, 400);
    const versions = [
      ["2024-11-05", "2024-11-05"],
      ["1999-01-01", "2025-11-25"],
    ];
    for (const [asked, given] of versions) {
      const { body } = await ask({ ...rpc, method: "initialize", params: { protocolVersion: asked } });
      assert.is((body["result"] as { readonly protocolVersion: string }).protocolVersion, given);
    }
  }));

test("a batch is refused at once, also one that cancels itself, and costs no caller a place", () =>
  served(async (address) => {
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    const batch = [call("unlock"), cancelled];
    const send1 = (body: unknown, user: string) =>
      send(address, { path: "/mcp", body, headers: { ...mcpHeaders, "x-user": user } });
    const refused = await Promise.all(Array.from({ length: 20 }, () => send1(batch, "clerk")));
    for (const { status, body } of refused) {
      assert.equal([status, body["id"], (body["error"] as { readonly code: number }).code], [400, null, -32600]);
    }
    const answered = await send1(call("where is my order"), "desk");
    assert.equal([answered.status, "result" in answered.body], [200, true]);
  }));

test("a message ends with its time, and with its client; the router of a swap is then closed", async () => {
  const started: (() => void)[] = [];
  const never = () => {
    started.pop()?.();
    return new Promise<void>(() => undefined);
  };
  const monitor = { deadlineMs: 50 } as BundleMonitor;
  const hanging = fixtureRouter({ during: never, monitor });
  const patient = fixtureRouter({ during: never });
  const runtime = new RouterRuntime(hanging);
  await withServer(runtime, { mcp: true }, async (base) => {
    const late = await send(base, { path: "/mcp", body: call("block my card"), headers: mcpHeaders });
    assert.equal([late.status, late.body["code"]], [503, "DEADLINE_EXCEEDED"]);
    runtime.replace(patient, { expectedGeneration: 1 });
    const begun = new Promise<void>((resolve) => started.push(resolve));
    const leaving = new AbortController();
    const headers = { ...mcpHeaders, "content-type": "application/json" };
    const body = JSON.stringify(call("block my card"));
    const left = fetch(`${base}/mcp`, { method: "POST", body, headers, signal: leaving.signal }).catch(() => undefined);
    await begun;
    const closed = new Promise<void>((resolve) => {
      patient.close = async () => resolve();
    });
    runtime.replace(fixtureRouter(), { expectedGeneration: 2 });
    runtime.replace(fixtureRouter(), { expectedGeneration: 3 });
    assert.is(hanging.closed.count, 1);
    leaving.abort();
    await Promise.all([left, closed]);
  });
});

/** A client's end of two streams. */
function clientEnd(input: PassThrough, output: PassThrough): Transport {
  const read = new ReadBuffer();
  const transport: Transport = {
    start: async () => {
      input.on("data", (chunk: Buffer) => {
        read.append(chunk);
        for (let message = read.readMessage(); message !== null; message = read.readMessage()) {
          transport.onmessage?.(message);
        }
      });
    },
    send: async (message) => {
      output.write(serializeMessage(message));
    },
    close: async () => {
      output.end();
      transport.onclose?.();
    },
  };
  return transport;
}

test("a client on two streams finds tools until it closes its end", async () => {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const router = fixtureRouter({ mode: "development" });
  const ended = serveStreams(toServer, toClient, {
    router,
    requestId: "mcp",
    find: (asked) => router.shortlist(asked),
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(clientEnd(toClient, toServer));
  const { tools } = await found(client, "  block my card ");
  assert.equal(pluck(tools, "name"), ["card.block", "card.order"]);
  assert.equal(router.seen[0], {
    ...aRouteRequest(),
    text: "block my card",
    request_id: "mcp",
    catalog_version: "cat-1",
  });
  await client.close();
  await ended;
});
