import { type DraftOptions, draftProject, workflowsYaml } from "../../datasets/draft/draft-project.js";
import type { SourceMaterial, SourceText } from "../../datasets/sources/parsed-source.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";

/** Name of the project file with drafts for the labels of a further source that no workflow has. */
export const newWorkflowsFileName = "new-workflows.yaml";

const header = `# Drafts of workflows for the labels of a further file that the catalog lacks. No command reads this file, and the
# next "sluice init FILE --add" replaces it. Copy the workflows that you want to the end of catalog.yaml, and run the
# same command again to add their requests.
`;

interface NewWorkflows {
  readonly rows: readonly LabelledRequest[];
  readonly workflowIds: ReadonlyMap<string, WorkflowId>;
  /** Labels of the source that no workflow of the catalog has. */
  readonly labels: readonly string[];
  readonly draft: Pick<DraftOptions, "name" | "owner" | "tier" | "seed" | "everyText">;
}

/**
 * Drafts workflows for the labels that a catalog lacks, as if their texts had been in the first source of the project.
 * Labels with one id are one workflow.
 * @returns  workflows in the format of a catalog, with a comment; null if there are no such labels
 */
export function newWorkflowsYaml(
  source: SourceMaterial,
  { rows, workflowIds, labels, draft }: NewWorkflows,
): string | null {
  const firstLabels = new Map(
    labels.toReversed().flatMap((label) => {
      const id = workflowIds.get(label);
      return id === undefined ? [] : [[id, label] as const];
    }),
  );
  if (firstLabels.size === 0) return null;
  const labelOf = (label: string | null): string | undefined =>
    label === null ? undefined : firstLabels.get(workflowIds.get(label) ?? ("" as WorkflowId));
  const texts = source.texts.flatMap((text) => {
    const label = labelOf(text.label);
    return label === undefined ? [] : [{ ...text, label }];
  });
  const newLabels = new Set(firstLabels.values());
  const { catalog } = draftProject(
    {
      ...source,
      texts: [...rows.map(asText), ...texts],
      workflows: source.workflows.filter(({ label }) => newLabels.has(label)),
    },
    {
      ...draft,
      knownIds: new Map([...rows.flatMap(ownId), ...[...firstLabels].map(([id, label]) => [label, id] as const)]),
    },
  );
  const drafted = catalog.workflows.filter(({ workflow_id: id }) => firstLabels.has(id as WorkflowId));
  return `${header}${workflowsYaml(drafted)}`;
}

/** A request of the project as a text of the first source. Its published part does not matter to other workflows. */
const asText = ({ id, text, workflow_id: label }: LabelledRequest): SourceText => ({
  file: "",
  at: id,
  text,
  label,
  part: null,
});

const ownId = ({ workflow_id: id }: LabelledRequest): readonly (readonly [string, WorkflowId])[] =>
  id === null ? [] : [[id, id]];
