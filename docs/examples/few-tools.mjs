/** Examples of Sluice in front of models that call tools: a model is offered the tools of the shortlist, and no others. */

/** Workflows that a text may mean, of those that the tools stand for; none where nothing fits. */
async function listed(text, workflowIds, { client, catalogVersion }) {
  const { workflows } = await client.shortlist({
    text,
    catalog_version: catalogVersion,
    allowed_workflow_ids: workflowIds,
  });
  return new Set(workflows.map(({ workflow_id }) => workflow_id));
}

/**
 * For the AI SDK: `generateText({ model, tools, prompt, activeTools: await activeTools(prompt, workflowOf, service) })`.
 *
 * @param workflowOf  workflow id by the name of its tool
 * @param service  `{ client, catalogVersion }`
 */
export async function activeTools(text, workflowOf, service) {
  const ids = await listed(text, Object.values(workflowOf), service);
  return Object.keys(workflowOf).filter((name) => ids.has(workflowOf[name]));
}

/**
 * For LangChain.js: `model.bindTools(await fewTools(text, tools, service))`.
 *
 * @param tools  each with `metadata.workflow_id`
 * @param service  `{ client, catalogVersion }`
 */
export async function fewTools(text, tools, service) {
  const idOf = ({ metadata }) => metadata.workflow_id;
  const ids = await listed(text, tools.map(idOf), service);
  return tools.filter((tool) => ids.has(idOf(tool)));
}
