import { SluiceError } from "../../src/errors/error.js";
import type { RouteRequest } from "../../src/domain/request.js";
import { toSnake } from "../../src/domain/camel.js";
import type { Explanation } from "../../src/routing/explain.js";
import type { BundleRouter } from "../../src/routing/router.js";
import { routeByServer } from "./route/ask-server.js";
import { requestText } from "./route/read-text.js";
import type { WorkOf } from "../command.js";
import type { routeShape } from "../shapes/serving.js";
import { cacheOf, routerSources } from "../../workbench/evaluation/router-sources.js";
import { trialLines } from "../trial-lines.js";
import { developmentRouter } from "../../workbench/evaluation/development-router.js";
import { decisionLines, explainLines } from "./route/explain-lines.js";
import { routeResponseBody } from "../../serve/response-body.js";
import { readRouteRequest } from "../../serve/request-body.js";
import { InvalidBody } from "../../serve/error-reply.js";

/** Model runs that may wait at once. */
const queueLimit = 64;

export const route: WorkOf<typeof routeShape> = async (context, args) => {
  const given = await requestText(args.text, context.signal);
  if (args.server !== undefined) return routeByServer(context, { ...args, server: args.server, text: given });
  const { sources, calibrationId } = await routerSources(context, args.calibration);
  const request = await readRequest({
    text: given,
    ...(args.context === undefined ? {} : { context: args.context }),
    ...(args.allowed === undefined ? {} : { allowed_workflow_ids: args.allowed }),
    debug: args.explain,
  });
  const router = await developmentRouter(sources, { workers: 1, queueLimit, ...cacheOf(context) });
  const { response, trace } = await routeOnce(router, request);
  const trial = calibrationId === null ? trialLines.slice(0, 1) : [];
  return {
    result: {
      calibration: calibrationId,
      response: routeResponseBody(response),
      trace: args.explain ? toSnake<object>(trace) : null,
    },
    lines: args.explain ? explainLines(response, trace) : decisionLines(response),
    warnings: [...trial, ...unknownWorkflows(args.allowed ?? [], router.workflowIds)],
  };
};

async function routeOnce(router: BundleRouter, request: RouteRequest): Promise<Explanation> {
  try {
    return await router.explain(request);
  } finally {
    await router.close();
  }
}

/** The request as the server reads it. @throws {SluiceError} USAGE  names the fields, never their values */
async function readRequest(body: object): Promise<RouteRequest> {
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
