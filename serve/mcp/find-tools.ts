import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  type CallToolResult,
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
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
  /** Id of the request in events. */
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
  const { query, ...others } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (Object.keys(others).length > 0) throw new InvalidBody([{ path: "", rule: "must have only the field query" }]);
  return { ...readRouteRequest({ text: query }, requestId), catalog_version: router.lineage.catalog_version };
}

/** A server with a single tool, which returns the shortlist for a query. */
function serverOf(tools: FindTools): Server {
  const server = new Server({ name: "sluice", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [findTools] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    if (params.name !== toolName) throw new McpError(ErrorCode.InvalidParams, `the only tool is ${toolName}`);
    try {
      return resultOf(await tools.find(requestOf(params.arguments, tools)), tools);
    } catch (thrown) {
      if (thrown instanceof InvalidBody) return failed(`query ${thrown.faults.map(({ rule }) => rule).join("; ")}`);
      return failed("the request could not be answered");
    }
  });
  return server;
}

/**
 * Answers one message over streamable HTTP. There are no sessions: every message is independent.
 * @param body  parsed JSON
 * @param headers  headers `accept`, `content-type` and `mcp-protocol-version` of the message
 */
export async function answerMessage(
  body: unknown,
  headers: Readonly<Record<string, string>>,
  tools: FindTools,
): Promise<{ readonly status: number; readonly contentType: string | null; readonly text: string }> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = serverOf(tools);
  await server.connect(transport);
  try {
    const request = new Request("http://sluice.invalid/mcp", { method: "POST", headers });
    const response = await transport.handleRequest(request, { parsedBody: body });
    const text = await response.text();
    return { status: response.status, contentType: response.headers.get("content-type"), text };
  } finally {
    await server.close();
  }
}

/** Serves one client over two streams until the input ends. */
export async function serveStreams(input: Readable, output: Writable, tools: FindTools): Promise<void> {
  const server = serverOf(tools);
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve;
    input.once("end", resolve);
    input.once("close", resolve);
  });
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  await server.close();
}
