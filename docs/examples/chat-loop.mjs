/** Example of a conversation: Sluice keeps none, so each request names the workflow that served the one before. */

/**
 * Answers the texts of one conversation, in order.
 *
 * @param texts      what the user writes, as an iterable or async iterable
 * @param workflows  by workflow id, each with `run(text)`; the caller may use these and no others
 * @param fallback   `(text, answer, previous) => { workflow_id, reply }`: a person, or a model that sees the conversation;
 *                   `workflow_id` is the workflow that it ran or offered, or null
 * @returns  async iterable of the replies
 */
export async function* converse(texts, { client, catalogVersion, workflows, fallback }) {
  const caller = { catalog_version: catalogVersion, allowed_workflow_ids: Object.keys(workflows) };
  let previous;
  for await (const text of texts) {
    const answer = await client.route({ text, ...caller, ...(previous === undefined ? {} : { previous }) });
    const routed = answer.decision === "ROUTE" ? answer.workflow_id : null;
    const { workflow_id, reply } =
      routed === null
        ? await fallback(text, answer, previous)
        : { workflow_id: routed, reply: await workflows[routed].run(text) };
    previous = { workflow_id };
    yield reply;
  }
}
