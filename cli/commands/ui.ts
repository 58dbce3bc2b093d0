import { counted, formatConfidence, formatOdds } from "../../src/documents/number-text.js";
import { toSluiceError } from "../../src/base/error.js";
import type { Explanation } from "../../src/router/explain.js";
import type { TriedRequest } from "../../reports/workspace/workspace-view.js";
import { reasonText } from "../../reports/reason-text.js";
import { readRouteRequest } from "../../serve/request-body.js";
import { type OpenedRouter, openRouter } from "../../stages/route.js";
import type { CommandContext } from "../context.js";
import { requireDevelopmentHost } from "../../serve/start-development.js";
import { startPageServer } from "../../serve/pages/page-server.js";
import type { WorkOf } from "../command.js";
import { requireFreePort } from "../../serve/listen.js";
import type { uiSpec } from "../specs/serving.js";
import { fields } from "../table.js";
import { untilInterrupted } from "../until-interrupted.js";
import { workspaceSource } from "../workspace-source.js";

export const ui: WorkOf<typeof uiSpec> = async (context, { file, port, host }) => {
  requireDevelopmentHost(host);
  await requireFreePort(port, host);
  let pages = 0;
  const box = tryBox(context);
  const source = workspaceSource(context, file, { decide: box.decide });
  const server = await startPageServer({ host, port }, async (path, form) => {
    pages += 1;
    return source(path, form);
  });
  const lines = fields([
    ["open", `${server.address}/`],
    ["shows", `${context.here(context.workspace.directory)}, on this machine only; nothing is saved`],
    ["stop it", "Ctrl-C"],
  ]);
  for (const line of lines) context.note(line);
  await untilInterrupted(context.signal);
  await server.close();
  await box.close();
  const result = { address: server.address, pages };
  return { result, lines: [`${counted(pages, "page")} shown at ${server.address}`] };
};

/** Decides the texts of the box with the router of the workspace, which the first text opens. */
function tryBox(context: CommandContext) {
  let opening: Promise<OpenedRouter> | null = null;
  const open = (): Promise<OpenedRouter> => {
    opening ??= openRouter(context).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  };
  return {
    decide: async (text: string): Promise<TriedRequest> => {
      try {
        const { router } = await open();
        return triedRequest(text, await router.explain(readRouteRequest({ text, debug: true }, "ui")));
      } catch (thrown) {
        const { code, message, hint } = toSluiceError(thrown);
        return { text, outcome: `${code}: ${message}`, reason: hint ?? null, candidates: [] };
      }
    },
    close: async (): Promise<void> => {
      if (opening !== null) await (await opening).router.close();
    },
  };
}

function triedRequest(text: string, { response, trace }: Explanation): TriedRequest {
  const between = response.reason_code === "ASK_BETWEEN" ? (response.shortlist?.workflows ?? []) : [];
  const named = between.map(({ workflow_id: id }) => id).join(" or ");
  const outcome = named === "" ? [response.decision, response.workflow_id ?? ""].join(" ").trim() : `${named}?`;
  return {
    text,
    outcome,
    reason: `${response.reason_code}: ${reasonText(response.reason_code)}`,
    candidates: (trace.scores?.candidates ?? []).map((candidate, index) => ({
      workflow: candidate.workflow_id,
      tier: candidate.risk_tier,
      likelihood: index === 0 ? formatConfidence(candidate.confidence) : formatOdds(candidate.relative_odds),
    })),
  };
}
