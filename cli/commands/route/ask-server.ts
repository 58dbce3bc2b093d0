import type { Answer } from "../../../client/answer.js";
import { reasonText } from "../../../reports/reason-text.js";
import { type ErrorCode, errorCodes } from "../../../src/errors/codes.js";
import { formatMilliseconds } from "../../../src/domain/number-text.js";
import { SluiceError } from "../../../src/errors/error.js";
import type { CommandContext } from "../../context.js";
import type { ResultParts } from "../../result.js";
import type { Field } from "../../table.js";
import { toSnake } from "../../../src/domain/camel.js";
import { SluiceClient } from "../../../client/client.js";
import { servedCatalog } from "../../../workbench/evaluation/router-sources.js";

interface Asked {
  readonly server: string;
  readonly text: string;
  readonly context: object | undefined;
  readonly allowed: readonly string[] | undefined;
}

/**
 * Sends one request to a running server as an application does. Production demands the catalog version and the allowed
 * workflows: both are those of the catalog that is known here.
 * @throws {SluiceError} SERVER_UNREACHABLE, DEADLINE_EXCEEDED, the code that the server answers with
 */
export async function routeByServer(context: CommandContext, asked: Asked): Promise<ResultParts> {
  const { catalogVersion, workflows } = await servedCatalog(context);
  const active = workflows.filter(({ status }) => status === "active").map(({ workflowId }) => workflowId);
  const client = new SluiceClient({ baseUrl: asked.server });
  const request = {
    text: asked.text,
    catalogVersion,
    allowedWorkflowIds: asked.allowed ?? active,
    ...(asked.context === undefined ? {} : { context: { ...asked.context } }),
  };
  const answer = await client.route(request, { signal: context.signal }).catch((cause: unknown) => {
    throw failure(cause, asked.server);
  });
  return { schema: "route-server@1", result: resultOf(asked.server, answer), fields: fieldsOf(answer) };
}

/** What the server answered, under the names of the other commands. */
function resultOf(server: string, answer: Answer) {
  const { decision, workflowId, reasonCode, confidence, missingInputs, confirmationRequired } = answer;
  const { runtimeMode, catalogVersion, calibrationVersion, latencyMs } = answer;
  const decided = { server, decision, workflowId, reasonCode, confidence, missingInputs, confirmationRequired };
  return toSnake<object>({ ...decided, runtimeMode, catalogVersion, calibrationVersion, latencyMs });
}

function fieldsOf(answer: Answer): readonly Field[] {
  return [
    ["decision", [answer.decision, answer.workflowId ?? ""].join(" ").trim()],
    ["reason", `${answer.reasonCode}: ${reasonText(answer.reasonCode)}`],
    ["confidence", String(answer.confidence)],
    ...(answer.missingInputs.length === 0 ? [] : [["missing", answer.missingInputs.join(", ")] as const]),
    ["served", `in ${answer.runtimeMode} mode, catalog ${answer.catalogVersion}`],
    ["latency", formatMilliseconds(answer.latencyMs)],
  ];
}

function failure(cause: unknown, server: string): unknown {
  const found = cause as { readonly name?: string; readonly code?: string; readonly reason?: string; message: string };
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
