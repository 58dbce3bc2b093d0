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
      if (answer.confirmationRequired && !(await confirm(answer.workflowId, request)))
        return { by: "person", done: false };
      return { by: "sluice", done: true, result: await tools[answer.workflowId].run(request) };
    case "CLARIFY":
      if (answer.workflowId === null) return { by: "sluice", done: false, choose: answer.between };
      return { by: "sluice", done: false, ask: answer.missingInputs };
    case "LLM_REQUIRED":
      return { by: "model", done: true, result: await model(request, await fewTools(), answer.reasonCode) };
  }

  /** The tools of the shortlist: none where nothing fits, all where there is no shortlist. */
  async function fewTools() {
    const { shortlistId } = answer;
    const { workflows, reasonCode } = await shortlist(request, { client, shortlistId, catalogVersion, tools });
    if (workflows.length === 0 && reasonCode !== "NO_WORKFLOW") return tools;
    return Object.fromEntries(workflows.map(({ workflowId }) => [workflowId, tools[workflowId]]));
  }
}

const asked = ({ text, context }, { catalogVersion, tools }) => {
  return { text, context, catalogVersion, allowedWorkflowIds: Object.keys(tools) };
};

const decide = (request, { client, ...known }) =>
  orUnavailable(client.route(asked(request, known)), { decision: "LLM_REQUIRED", reasonCode: "SERVICE_UNAVAILABLE" });

const shortlist = (request, { client, shortlistId, ...known }) =>
  orUnavailable(client.shortlist(asked(request, known), { shortlistId }), {
    workflows: [],
    reasonCode: "SERVICE_UNAVAILABLE",
  });

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
