import { SluiceError } from "../../src/errors/error.js";
import type { RouteRequest } from "../../src/domain/request.js";
import { toSnake } from "../../src/domain/camel.js";
import type { Explanation } from "../../src/routing/explain.js";
import type { BundleRouter } from "../../src/routing/router.js";
import { defineCommand } from "../command.js";
import { flag, optional, required } from "../options.js";
import { id, list, text, type ValueKind } from "../parsers.js";
import { commandResult } from "../result.js";
import { httpAddress, routeByServer } from "./route/ask-server.js";
import { requestText } from "./route/read-text.js";

/** Model runs that may wait at once. */
const queueLimit = 64;

/** A JSON object; its value is never repeated in a message. */
const jsonObject: ValueKind<object> = {
  placeholder: "JSON",
  parse: (raw, name) => {
    const value = parsedJson(raw);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
    throw new SluiceError("USAGE", `${name}: expected a JSON object`, { hint: `Use for example ${name} '{"a": 1}'.` });
  },
};

export const route = defineCommand({
  name: ["route"],
  describe: "Route one request as the server would, and say why; nothing is kept",
  positionals: {},
  options: {
    text: required(text, "text of the request; - reads it from stdin"),
    calibration: optional(id, "calibration, with its catalog and models; the latest when absent"),
    context: optional(jsonObject, "known inputs, by name"),
    allowed: optional(list, "workflows that the caller may use; all when absent"),
    server: optional(httpAddress, "address of a running server to ask instead of routing here"),
    explain: flag("every step from text to decision, and what would have changed it"),
  },
  examples: [
    ["sluice route --text - --explain", "reads the text from stdin; one screen from text to decision"],
    ["sluice route --text reset --allowed it_access.reset_password,it_access.reset_mfa", "a caller with two workflows"],
  ],
  run: async (context, args) => {
    const given = await requestText(args.text, context.signal);
    if (args.server !== undefined) return routeByServer(context, { ...args, server: args.server, text: given });
    const { routerSources, trialLines } = await import("../router-sources.js");
    const { sources, calibrationId } = await routerSources(context, args.calibration);
    const { developmentRouter } = await import("../../workbench/evaluation/development-router.js");
    const { decisionLines, explainLines } = await import("./route/explain-lines.js");
    const { routeResponseBody } = await import("../../serve/response-body.js");
    const request = await readRequest({
      text: given,
      ...(args.context === undefined ? {} : { context: args.context }),
      ...(args.allowed === undefined ? {} : { allowed_workflow_ids: args.allowed }),
      debug: args.explain,
    });
    const router = await developmentRouter(sources, { workers: 1, queueLimit });
    const { response, trace } = await routeOnce(router, request);
    const trial = calibrationId === null ? trialLines.slice(0, 1) : [];
    return commandResult({
      schema: "route@1",
      result: {
        calibration: calibrationId,
        response: routeResponseBody(response),
        trace: args.explain ? toSnake<object>(trace) : null,
      },
      lines: args.explain ? explainLines(response, trace) : decisionLines(response),
      warnings: [...trial, ...unknownWorkflows(args.allowed ?? [], router.workflowIds)],
    });
  },
});

async function routeOnce(router: BundleRouter, request: RouteRequest): Promise<Explanation> {
  try {
    return await router.explain(request);
  } finally {
    await router.close();
  }
}

function parsedJson(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return null;
  }
}

/** The request as the server reads it. @throws {SluiceError} USAGE  names the fields, never their values */
async function readRequest(body: object): Promise<RouteRequest> {
  const { readRouteRequest } = await import("../../serve/request-body.js");
  const { InvalidBody } = await import("../../serve/error-reply.js");
  try {
    return readRouteRequest(body, "cli");
  } catch (cause) {
    if (!(cause instanceof InvalidBody)) throw cause;
    const faults = cause.faults.map(({ path, rule }) => `${path.slice(1)} ${rule}`);
    throw new SluiceError("USAGE", `the request is not valid: ${faults.join("; ")}`, {
      hint: "Run: sluice route --help",
      cause,
    });
  }
}

function unknownWorkflows(allowed: readonly string[], known: ReadonlySet<string>): readonly string[] {
  const strange = allowed.filter((workflow) => !known.has(workflow));
  return strange.length === 0 ? [] : [`the catalog has no workflow ${strange.join(", ")}`];
}
