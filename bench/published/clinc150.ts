import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { Clinc150, ExampleIndices, ListName } from "../../test/support/clinc150.js";

/** Every training text of every label. */
export function allExamples({ lists }: Clinc150): ExampleIndices {
  const indices: Record<string, number[]> = {};
  for (const [index, [, label]] of lists.train.entries()) {
    const own = indices[label] ?? [];
    indices[label] = own;
    own.push(index);
  }
  return indices;
}

/** Converts the texts of the given lists to requests with ids `<list>-<position>`; the label "oos" is out of scope. */
export function requestsOf({ lists }: Clinc150, names: readonly ListName[]): readonly LabelledRequest[] {
  return names.flatMap((name) =>
    lists[name].map(([text, label], position) => ({
      id: `${name}-${String(position).padStart(5, "0")}`,
      text,
      workflow_id: label === "oos" ? null : (label as WorkflowId),
    })),
  );
}
