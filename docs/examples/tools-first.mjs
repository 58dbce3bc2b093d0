/**
 * Example of Sluice in front of a tool-calling model: Sluice routes what it is sure of, the model gets the rest, with the
 * few tools that may be meant.
 */
import { NoAnswer, Problem } from "sluice/client";

/**
 * Handles one request.
 *
 * @param request  `text`, and `context` with the input values that are known already
 * @param tools    by workflow id, each with `run(request)`; the caller may use these and no others
 * @param model    `(request, tools, why) => result`: the tool-calling model, asked only when Sluice declines
 * @param confirm  `(workflowId, request) => boolean`: asks a person
 */
export async function handle(request, { client, catalogVersion, tools, model, confirm }) {
  const answer = await decide(request, { client, catalogVersion, tools });
  switch (answer.decision) {
    case "ROUTE":
      if (answer.confirmation_required && !(await confirm(answer.workflow_id, request)))
        return { by: "person", done: false };
      return { by: "sluice", done: true, result: await tools[answer.workflow_id].run(request) };
    case "CLARIFY":
      if (answer.workflow_id === null) return { by: "sluice", done: false, choose: answer.between };
      return { by: "sluice", done: false, ask: answer.missing_inputs };
    case "LLM_REQUIRED":
      return { by: "model", done: true, result: await model(request, await fewTools(), answer.reason_code) };
  }

  /** The tools of the shortlist: none where nothing fits, all where there is no shortlist. */
  async function fewTools() {
    const { workflows, reason_code } = await shortlist(request, { client, catalogVersion, tools });
    if (workflows.length === 0 && reason_code !== "NO_WORKFLOW") return tools;
    return Object.fromEntries(workflows.map(({ workflow_id }) => [workflow_id, tools[workflow_id]]));
  }
}

const asked = ({ text, context }, { catalogVersion, tools }) => {
  return { text, context, catalog_version: catalogVersion, allowed_workflow_ids: Object.keys(tools) };
};

const decide = (request, { client, ...known }) =>
  orUnavailable(client.route(asked(request, known)), { decision: "LLM_REQUIRED", reason_code: "SERVICE_UNAVAILABLE" });

const shortlist = (request, { client, ...known }) =>
  orUnavailable(client.shortlist(asked(request, known)), { workflows: [], reason_code: "SERVICE_UNAVAILABLE" });

/** A service that cannot answer now counts as one that declines; a request that it refuses is a fault of ours. */
async function orUnavailable(answer, unavailable) {
  try {
    return await answer;
  } catch (error) {
    const down = error instanceof NoAnswer || (error instanceof Problem && error.status >= 500);
    if (!down) throw error;
    return unavailable;
  }
}
