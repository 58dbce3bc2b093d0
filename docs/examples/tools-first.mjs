/**
 * Example of Sluice in front of a tool-calling model: Sluice routes what it is sure of, the model gets the rest.
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
      return { by: "sluice", done: false, ask: answer.missingInputs };
    case "LLM_REQUIRED":
      return { by: "model", done: true, result: await model(request, tools, answer.reasonCode) };
  }
}

/** A service that cannot answer now counts as one that declines; a request that it refuses is a fault of ours. */
async function decide({ text, context }, { client, catalogVersion, tools }) {
  try {
    return await client.route({ text, context, catalogVersion, allowedWorkflowIds: Object.keys(tools) });
  } catch (error) {
    const down = error instanceof NoAnswer || (error instanceof Problem && error.status >= 500);
    if (!down) throw error;
    return { decision: "LLM_REQUIRED", reasonCode: "SERVICE_UNAVAILABLE" };
  }
}
