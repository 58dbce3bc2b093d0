import { command, say, SluiceError } from "../../src/base/error.js";
import type { RouteRequest } from "../../src/documents/request.js";
import type { Explanation } from "../../src/router/explain.js";
import type { BundleRouter } from "../../src/router/router.js";
import { requestText } from "../read-standard-input.js";
import type { WorkOf } from "../command.js";
import type { routeSpec } from "../specs/serving.js";
import { openRouter, servedCatalog } from "../../stages/route.js";
import { betweenField, decisionLines, explainLines, shortlistLines } from "./route/explain-lines.js";
import { routeResponseBody } from "../../serve/response-body.js";
import { readRouteRequest } from "../../serve/request-body.js";
import { InvalidBody } from "../../serve/error-reply.js";
import type { Answer } from "../../client/answer.js";
import { reasonText } from "../../reports/reason-text.js";
import { type ErrorCode, errorCodes } from "../../src/base/error-codes.js";
import { formatMilliseconds } from "../../src/documents/number-text.js";
import type { CommandContext } from "../context.js";
import type { ResultParts } from "../result.js";
import type { Field } from "../table.js";
import { SluiceClient } from "../../client/client.js";

export const route: WorkOf<typeof routeSpec> = async (context, args) => {
  const given = await requestText(args.text, context.signal);
  if (args.server !== undefined) return routeByServer(context, { ...args, server: args.server, text: given });
  const request = await readRequest({
    text: given,
    ...(args.context === undefined ? {} : { context: args.context }),
    ...(args.allowed === undefined ? {} : { allowed_workflow_ids: args.allowed }),
    ...previousOf(args),
    debug: args.explain,
  });
  const { router, calibrationId, trial } = await openRouter(context, { calibration: args.calibration });
  const { response, trace } = await explained(router, request);
  const listed = response.shortlist?.workflows ?? [];
  return {
    result: {
      calibration: calibrationId,
      response: routeResponseBody(response),
      shortlist: listed,
      trace: args.explain ? trace : null,
    },
    lines: [
      ...(args.explain ? explainLines(response, trace) : decisionLines(response, trace.scores?.changes)),
      ...shortlistLines(response.decision === "LLM_REQUIRED" ? listed : []),
    ],
    warnings: [...trial.slice(0, 1), ...unknownWorkflows(namedIn(args), router.workflowIds)],
  };
};

async function explained(router: BundleRouter, request: RouteRequest): Promise<Explanation> {
  try {
    return await router.explain(request);
  } finally {
    await router.close();
  }
}

/** Parses a request like the server. @throws {SluiceError} USAGE  names the fields, never their values */
async function readRequest(body: object): Promise<RouteRequest> {
  try {
    return readRouteRequest(body, "cli");
  } catch (cause) {
    if (!(cause instanceof InvalidBody)) throw cause;
    const faults = cause.faults.map(({ path, rule }) => `${path.slice(1)} ${rule}`);
    throw new SluiceError("USAGE", `the request is not valid: ${faults.join("; ")}`, {
      hint: say`Run: ${command`sluice route --help`}`,
      cause,
    });
  }
}

const namedIn = ({ allowed = [], previous }: Pick<Asked, "allowed" | "previous">): readonly string[] =>
  previous === undefined || previous === "none" ? allowed : [...allowed, previous];

function unknownWorkflows(allowed: readonly string[], known: ReadonlySet<string>): readonly string[] {
  const strange = allowed.filter((workflow) => !known.has(workflow));
  return strange.length === 0 ? [] : [`the catalog has no workflow ${strange.join(", ")}`];
}

const previousOf = ({ previous }: Pick<Asked, "previous">): Pick<RouteRequest, "previous"> =>
  previous === undefined ? {} : { previous: { workflow_id: previous === "none" ? null : previous } };

interface Asked {
  readonly previous: string | undefined;
  readonly server: string;
  readonly text: string;
  readonly context: object | undefined;
  readonly allowed: readonly string[] | undefined;
}

/**
 * Sends one request to a running server, as an application would. Production requires the catalog version and the
 * allowed workflows; both are taken from the local catalog. A server with another version gets its own.
 * @throws {SluiceError} SERVER_UNREACHABLE, DEADLINE_EXCEEDED, or the code in the server's response
 */
async function routeByServer(context: CommandContext, asked: Asked): Promise<ResultParts> {
  const client = new SluiceClient({ baseUrl: asked.server });
  const { signal } = context;
  const here = await localCatalog(context, asked.allowed);
  const { catalog_version } =
    here ??
    (await client.health({ signal }).catch((cause: unknown) => {
      throw failure(cause, asked.server);
    }));
  const request = {
    text: asked.text,
    catalog_version,
    allowed_workflow_ids: asked.allowed ?? here?.active ?? [],
    ...(asked.context === undefined ? {} : { context: { ...asked.context } }),
    ...previousOf(asked),
  };
  const answer = await client
    .route(request, { signal })
    .catch(async (thrown: unknown) => {
      if (!isOtherVersion(thrown)) throw thrown;
      const { catalog_version: served } = await client.health({ signal });
      return client.route({ ...request, catalog_version: served }, { signal });
    })
    .catch((cause: unknown) => {
      throw failure(cause, asked.server);
    });
  return {
    schema: "route-server@1",
    result: resultOf(asked.server, answer),
    fields: fieldsOf(answer),
    warnings: versionNotes(catalog_version, answer, asked.allowed === undefined),
  };
}

/**
 * Version and active workflows of the local catalog; null if there is none, and the workflows are named.
 * @throws {SluiceError} FILE_NOT_FOUND, RECORD_NOT_FOUND  there is none, and no workflows are named
 */
async function localCatalog(context: CommandContext, allowed: Asked["allowed"]) {
  try {
    const { catalog_version, workflows } = await servedCatalog(context);
    return {
      catalog_version,
      active: workflows.filter(({ status }) => status === "active").map(({ workflow_id }) => workflow_id),
    };
  } catch (thrown) {
    if (!(thrown instanceof SluiceError) || !/^(FILE|RECORD)_NOT_FOUND$/u.test(thrown.code)) throw thrown;
    if (allowed !== undefined) return null;
    throw new SluiceError(thrown.code, "no catalog here says which workflows the caller may use", {
      hint: say`Name them: ${command`sluice route --allowed ID,ID --server URL --text TEXT`}. Or add -C with the project's folder.`,
      cause: thrown,
    });
  }
}

const isOtherVersion = (thrown: unknown): boolean => (thrown as Thrown).code === "CATALOG_VERSION_MISMATCH";

/** Says that the catalog of the server differs from the one here; empty if it has the same. */
function versionNotes(here: string, { catalog_version: served }: Answer, allowsOnlyKnown: boolean): readonly string[] {
  if (served === here) return [];
  const allowed = allowsOnlyKnown ? "; only the local catalog's workflows were allowed" : "";
  return [`catalog ${served} on the server, ${here} locally. The request named the server's${allowed}`];
}

/** What the client throws: a problem of the server, or no answer. */
interface Thrown {
  readonly name?: string;
  readonly code?: string;
  readonly reason?: string;
  readonly message: string;
}

/** The response of the server, with the field names of the other commands. */
function resultOf(server: string, answer: Answer) {
  const { decision, workflow_id, reason_code, confidence, missing_inputs, confirmation_required } = answer;
  const { runtime_mode, catalog_version, calibration_version, latency_ms } = answer;
  const asked = "between" in answer ? { between: answer.between } : {};
  const decided = { server, decision, workflow_id, reason_code, confidence, missing_inputs, confirmation_required };
  return { ...decided, ...asked, runtime_mode, catalog_version, calibration_version, latency_ms };
}

function fieldsOf(answer: Answer): readonly Field[] {
  return [
    ["decision", [answer.decision, answer.workflow_id ?? ""].join(" ").trim()],
    ["reason", `${answer.reason_code}: ${reasonText(answer.reason_code)}`],
    ...betweenField("between" in answer ? answer.between : []),
    ["confidence", String(answer.confidence)],
    ...(answer.missing_inputs.length === 0 ? [] : [["missing", answer.missing_inputs.join(", ")] as const]),
    ...(answer.workflow_id === null ? [] : [["confirm", answer.confirmation_required ? "yes" : "no"] as const]),
    ["served", `in ${answer.runtime_mode} mode, catalog ${answer.catalog_version}`],
    ["latency", formatMilliseconds(answer.latency_ms)],
  ];
}

function failure(cause: unknown, server: string): unknown {
  const found = cause as Thrown;
  if (found.name === "Problem") {
    const code = Object.keys(errorCodes).find((known): known is ErrorCode => known === found.code);
    return new SluiceError(code ?? "SERVER_UNREACHABLE", `${server}: ${found.message}`, { cause });
  }
  if (found.name !== "NoAnswer") return cause;
  const late = found.reason === "timeout";
  return new SluiceError(late ? "DEADLINE_EXCEEDED" : "SERVER_UNREACHABLE", `${server}: ${found.message}`, {
    hint: "Start the server, or correct the address.",
    cause,
  });
}
