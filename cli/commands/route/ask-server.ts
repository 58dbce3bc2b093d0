import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../../../client/answer.js";
import { reasonText } from "../../../reports/reason-text.js";
import { type ErrorCode, errorCodes } from "../../../src/errors/codes.js";
import { formatMilliseconds } from "../../../src/domain/number-text.js";
import { SluiceError } from "../../../src/errors/error.js";
import type { CommandContext } from "../../context.js";
import { type CommandResult, commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { SluiceClient } from "../../../client/client.js";
import { bundleFiles } from "../../../src/artifacts/bundle-layout.js";
import { loadCatalog } from "../../../src/catalog/load.js";
import { catalogOf, withHistory } from "../../../workbench/records/with-history.js";

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
export async function routeByServer(context: CommandContext, asked: Asked): Promise<CommandResult> {
  const { version, workflowIds } = await knownCatalog(context);
  const client = new SluiceClient({ baseUrl: asked.server });
  const request = {
    text: asked.text,
    catalogVersion: version,
    allowedWorkflowIds: asked.allowed ?? workflowIds,
    ...(asked.context === undefined ? {} : { context: { ...asked.context } }),
  };
  const answer = await client.route(request, { signal: context.signal }).catch((cause: unknown) => {
    throw failure(cause, asked.server);
  });
  return commandResult({ schema: "route-server@1", result: resultOf(asked.server, answer), lines: linesOf(answer) });
}

/** The catalog of the exported bundle, else the latest one of the history. */
async function knownCatalog({ workspace, ...context }: CommandContext) {
  const exported = join(workspace.bundle, bundleFiles.catalog);
  const catalog = existsSync(exported)
    ? (await loadCatalog(exported)).catalog
    : await withHistory({ workspace, ...context }, "read", async ({ history }) => {
        return (await catalogOf(history, undefined)).document;
      });
  const active = catalog.workflows.filter(({ status }) => status === "active");
  return { version: catalog.catalogVersion, workflowIds: active.map(({ workflowId }) => workflowId) };
}

/** What the server answered, as the other commands name it. */
function resultOf(server: string, answer: Answer) {
  return {
    server,
    decision: answer.decision,
    workflow_id: answer.workflowId,
    reason_code: answer.reasonCode,
    confidence: answer.confidence,
    missing_inputs: [...answer.missingInputs],
    confirmation_required: answer.confirmationRequired,
    runtime_mode: answer.runtimeMode,
    catalog_version: answer.catalogVersion,
    calibration_version: answer.calibrationVersion,
    latency_ms: answer.latencyMs,
  };
}

function linesOf(answer: Answer): readonly string[] {
  return fields([
    ["decision", [answer.decision, answer.workflowId ?? ""].join(" ").trim()],
    ["reason", `${answer.reasonCode}: ${reasonText(answer.reasonCode)}`],
    ["confidence", String(answer.confidence)],
    ...(answer.missingInputs.length === 0 ? [] : [["missing", answer.missingInputs.join(", ")] as const]),
    ["served", `in ${answer.runtimeMode} mode, catalog ${answer.catalogVersion}`],
    ["latency", formatMilliseconds(answer.latencyMs)],
  ]);
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
