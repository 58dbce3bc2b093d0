import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  type CallToolResult,
  ErrorCode,
  type JSONRPCMessage,
  LATEST_PROTOCOL_VERSION,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import type { Readable, Writable } from "node:stream";
import type { ResolvableInput, Workflow } from "../../src/documents/catalog.js";
import type { RouteRequest } from "../../src/documents/request.js";
import type { Router } from "../../src/documents/router.js";
import type { ShortlistResponse } from "../../src/documents/response.js";
import { InvalidBody } from "../error-reply.js";
import { readRouteRequest } from "../request-body.js";

/** Returns the shortlist for a query, applying the rules of the caller's transport. */
export type FindShortlist = (request: RouteRequest) => Promise<ShortlistResponse>;

export interface FindTools {
  readonly router: Pick<Router, "lineage" | "workflow">;
  readonly find: FindShortlist;
  readonly requestId: string;
}

const toolName = "find_tools";

const findTools: Tool = {
  name: toolName,
  title: "Find tools",
  description:
    "Finds the few tools of the catalog that fit a request in plain words, best first, each with its description and input " +
    "schema. Returns no tool when none fits; do not guess one.",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 8000, description: "What the user wants, in their own words." },
      previous_workflow_id: {
        type: ["string", "null"],
        description:
          "For a query that follows another one: workflow_id of the tool that served that one, null if none did.",
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      tools: { type: "array", items: { type: "object" } },
      complete: { type: "boolean" },
      reason_code: { type: "string" },
    },
    required: ["tools", "complete", "reason_code"],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

/** Metadata fields that contain the original definition of a tool. */
const [nameKey, schemaKey] = ["tool_name", "input_schema"] as const;

/** The original name of the tool; without one, the id of the workflow. */
function nameOf({ metadata, workflow_id: workflowId }: Workflow): string {
  const own = metadata[nameKey];
  return typeof own === "string" ? own : workflowId;
}

/** The JSON Schema of a tool's inputs: the original one, or one generated from the inputs of the workflow. */
function inputSchemaOf({
  metadata,
  required_inputs: requiredInputs,
  optional_inputs: optionalInputs,
}: Workflow): object {
  const own = metadata[schemaKey];
  if (typeof own === "object" && own !== null && !Array.isArray(own)) return own;
  const described = ({ name, description }: ResolvableInput) =>
    [name, description === "" ? {} : { description }] as const;
  return {
    type: "object",
    properties: Object.fromEntries([...requiredInputs, ...optionalInputs].map(described)),
    required: requiredInputs.map(({ name }) => name),
  };
}

function resultOf(
  { workflows, complete, reason_code: reasonCode }: ShortlistResponse,
  { router }: FindTools,
): CallToolResult {
  const tools = workflows.flatMap(({ workflow_id: workflowId, confidence, missing_inputs: missingInputs }) => {
    const workflow = router.workflow(workflowId);
    if (workflow === null) return [];
    const { name: title, description } = workflow;
    return [
      {
        name: nameOf(workflow),
        title,
        description,
        input_schema: inputSchemaOf(workflow),
        workflow_id: workflowId,
        confidence,
        missing_inputs: missingInputs,
      },
    ];
  });
  const structuredContent = { tools, complete, reason_code: reasonCode };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

const failed = (text: string): CallToolResult => ({ content: [{ type: "text", text }], isError: true });

/** Builds a request to the active catalog from the query. @throws {InvalidBody} */
function requestOf(given: unknown, { router, requestId }: FindTools): RouteRequest {
  const { query, previous_workflow_id: previous, ...others } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (Object.keys(others).length > 0) {
    throw new InvalidBody([{ path: "", rule: "must have only the fields query, previous_workflow_id" }]);
  }
  const body = { text: query, ...(previous === undefined ? {} : { previous: { workflow_id: previous } }) };
  return { ...readRouteRequest(body, requestId), catalog_version: router.lineage.catalog_version };
}

/** A message of a client, as far as an answer depends on it. */
interface Message {
  /** Undefined for a notification, which has no answer. */
  readonly id: RequestId | undefined;
  /** Undefined for a response, which has no answer either. */
  readonly method: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads a JSON-RPC message; null if it is none. */
function messageOf(body: unknown): Message | null {
  if (!isObject(body) || body["jsonrpc"] !== "2.0") return null;
  const { id, method, params = {} } = body;
  if ((id !== undefined && !isId(id)) || !isObject(params)) return null;
  if (typeof method === "string") return { id, method, params };
  const isResponse = method === undefined && ("result" in body || "error" in body);
  return isResponse ? { id, method, params } : null;
}

const isId = (value: unknown): value is RequestId => typeof value === "string" || Number.isInteger(value);

type Outcome = { readonly result: object } | { readonly error: { readonly code: number; readonly message: string } };

const refused = (code: number, message: string): Outcome => ({ error: { code, message } });

async function outcomeOf(method: string, params: Message["params"], tools: FindTools): Promise<Outcome> {
  switch (method) {
    case "initialize":
      return initialized(params["protocolVersion"]);
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: { tools: [findTools] } };
    case "tools/call":
      if (params["name"] !== toolName) return refused(ErrorCode.InvalidParams, `the only tool is ${toolName}`);
      return { result: await called(params["arguments"], tools) };
    default:
      return refused(ErrorCode.MethodNotFound, "Method not found");
  }
}

/** Answers with the client's version of the protocol if it is supported, otherwise with the latest. */
function initialized(version: unknown): Outcome {
  if (typeof version !== "string") return refused(ErrorCode.InvalidParams, "protocolVersion must be a string");
  const protocolVersion = SUPPORTED_PROTOCOL_VERSIONS.includes(version) ? version : LATEST_PROTOCOL_VERSION;
  return {
    result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "sluice", version: "1.0.0" } },
  };
}

async function called(given: unknown, tools: FindTools): Promise<CallToolResult> {
  try {
    return resultOf(await tools.find(requestOf(given, tools)), tools);
  } catch (thrown) {
    if (thrown instanceof InvalidBody) return failed(`query ${thrown.faults.map(({ rule }) => rule).join("; ")}`);
    return failed("the request could not be answered");
  }
}

/** The answer over HTTP; `body` is null for a message that has none. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: object | null;
}

const httpError = (status: number, code: number, message: string): HttpAnswer => ({
  status,
  body: { jsonrpc: "2.0", error: { code, message }, id: null },
});

/** Code of an error of the transport, which JSON-RPC leaves to servers. */
const transportError = -32_000;

/**
 * Answers one message over streamable HTTP. There are no sessions: every message is independent.
 * @param body  parsed JSON
 * @param headers  headers `accept` and `mcp-protocol-version` of the message
 */
export async function answerMessage(
  body: unknown,
  headers: Readonly<Record<string, string | undefined>>,
  tools: FindTools,
): Promise<HttpAnswer> {
  const { accept = "", "mcp-protocol-version": version } = headers;
  if (!accept.includes("application/json") || !accept.includes("text/event-stream"))
    return httpError(406, transportError, "the client must accept both application/json and text/event-stream");
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
    const supported = SUPPORTED_PROTOCOL_VERSIONS.join(", ");
    return httpError(400, transportError, `the protocol version is not supported; supported are ${supported}`);
  }
  const message = messageOf(body);
  if (message === null) return httpError(400, ErrorCode.InvalidRequest, "not a JSON-RPC message");
  const { id, method } = message;
  if (id === undefined || method === undefined) return { status: 202, body: null };
  return { status: 200, body: { jsonrpc: "2.0", id, ...(await outcomeOf(method, message.params, tools)) } };
}

/** Serves one client over two streams until the input ends. */
export async function serveStreams(input: Readable, output: Writable, tools: FindTools): Promise<void> {
  const transport = new StdioServerTransport(input, output);
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve;
    input.once("end", resolve);
    input.once("close", resolve);
  });
  const answer = async (message: JSONRPCMessage): Promise<void> => {
    const read = messageOf(message);
    if (read?.id === undefined || read.method === undefined) return;
    const answered = { jsonrpc: "2.0", id: read.id, ...(await outcomeOf(read.method, read.params, tools)) };
    await transport.send(answered as JSONRPCMessage);
  };
  transport.onmessage = (message) => void answer(message);
  await transport.start();
  await ended;
  await transport.close();
}
