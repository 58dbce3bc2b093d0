import type { Workflow } from "../../documents/catalog.js";
import type { RetrieverModel } from "../../documents/model.js";
import { collapseSpace } from "../../documents/workflow-text/contract-parts.js";

/**
 * The texts of a catalog that requests are compared with. The texts of workflow w are at starts[w] up to (not
 * including) starts[w + 1].
 */
export interface CatalogTexts {
  readonly workflowIds: readonly string[];
  readonly starts: Int32Array;
  /** Without the retriever's prefix. */
  readonly texts: readonly string[];
  /**
   * Position of each workflow's text that joins name and description, or of the only one of the two; shape (workflows).
   */
  readonly titles: Int32Array;
  readonly examplesPerWorkflow: number;
}

/** The texts of a catalog with the retriever's prefix, in the order of `catalogTexts`. */
export const documentsOf = (
  { prefix }: Pick<RetrieverModel, "prefix">,
  workflows: readonly Workflow[],
): readonly string[] => catalogTexts(workflows).texts.map((text) => prefix.document + text);

const collapsed = (texts: readonly string[]): readonly string[] =>
  texts.map(collapseSpace).filter((text) => text !== "");

/**
 * Name, description, both joined, then every capability and every example. The joined text reads like a request, which
 * helps workflows without examples.
 */
export function catalogTexts(workflows: readonly Workflow[]): CatalogTexts {
  const texts: string[] = [];
  const starts = new Int32Array(workflows.length + 1);
  const titles = new Int32Array(workflows.length);
  let examples = 0;
  for (const [position, workflow] of workflows.entries()) {
    const title = [...new Set(collapsed([workflow.name, workflow.description]))];
    const own = [
      ...title,
      ...(title.length > 1 ? [title.join(". ")] : []),
      ...collapsed(workflow.capabilities),
      ...collapsed(workflow.examples),
    ];
    titles[position] = texts.length + (title.length > 1 ? title.length : 0);
    examples += workflow.examples.length;
    texts.push(...(own.length > 0 ? own : [workflow.workflow_id]));
    starts[position + 1] = texts.length;
  }
  return {
    workflowIds: workflows.map(({ workflow_id: workflowId }) => workflowId),
    starts,
    texts,
    titles,
    examplesPerWorkflow: examples / Math.max(1, workflows.length),
  };
}
