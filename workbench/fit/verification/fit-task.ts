import type { Workflow } from "../../../src/domain/catalog.js";
import type { LabelledRequest } from "../../../src/domain/dataset.js";
import type { FitCorpus, FitData, FitPairs, FitSynset } from "../words/fit-data.js";

/** Labelled requests of one source with its catalog. Workflows of one name are one class: their requests mean the same. */
export interface FitTask {
  /** As the model card names it, such as "banking77"; unique. */
  readonly name: string;
  readonly workflows: readonly Workflow[];
  /** `workflowId` null: out of scope. */
  readonly requests: readonly LabelledRequest[];
}

/** Ids are unique within one task only. */
export const taskWorkflow = (task: string, workflowId: string): string => `${task} ${workflowId}`;
export const taskClass = (task: string, { name }: Workflow): string => `${task} ${name}`;

/** Data besides the labelled requests. */
export interface OpenData {
  readonly synsets: readonly FitSynset[];
  readonly corpora: readonly FitCorpus[];
  readonly pairs: readonly FitPairs[];
}

/** All tasks and additional data as one training set; catalog examples count as requests. */
export function fitDataOf(tasks: readonly FitTask[], open: OpenData): FitData {
  const examples = tasks.flatMap(({ name, workflows }) =>
    workflows.flatMap((workflow) =>
      workflow.examples.map((text) => ({ text, workflow: taskWorkflow(name, workflow.workflowId) })),
    ),
  );
  const requests = tasks.flatMap(({ name, requests: own }) =>
    own.map(({ text, workflowId }) => {
      return { text, workflow: workflowId === null ? null : taskWorkflow(name, workflowId) };
    }),
  );
  const workflows = tasks.flatMap((task) =>
    task.workflows.map((workflow) => ({
      id: taskWorkflow(task.name, workflow.workflowId),
      classKey: taskClass(task.name, workflow),
      name: workflow.name,
      descriptions: [workflow.description, ...workflow.capabilities],
    })),
  );
  return { requests: [...requests, ...examples], workflows, ...open };
}
