import type { Workflow } from "../../domain/catalog.js";
import { contractParts } from "../../serializer/contract-parts.js";

/** Kinds of indexed texts. */
export const textKinds = ["title", "capability", "example"] as const;
export type TextKind = (typeof textKinds)[number];

/** The texts of a catalog that requests are compared with; those of workflow w lie at starts[w] to starts[w + 1]. */
export interface KernelTexts {
  readonly workflowIds: readonly string[];
  readonly starts: Int32Array;
  readonly texts: readonly string[];
  readonly kinds: readonly TextKind[];
}

/**
 * Name and description, then every capability and every example.
 * @param prefix  text in front of every one, exact bytes
 * @param nameApart  name and description as two texts; one that is empty or repeats the other is left out
 */
export function kernelTexts(workflows: readonly Workflow[], prefix = "", nameApart = false): KernelTexts {
  const texts: string[] = [];
  const kinds: TextKind[] = [];
  const starts = new Int32Array(workflows.length + 1);
  for (const [position, workflow] of workflows.entries()) {
    const parts = contractParts(workflow);
    const title = parts.filter(({ kind }) => kind === "name" || kind === "description").map(({ text }) => text);
    const apart = [...new Set(title)].filter((text) => text !== "");
    for (const text of nameApart && apart.length > 0 ? apart : [title.join(". ")]) {
      texts.push(prefix + text);
      kinds.push("title");
    }
    for (const { kind, text } of parts) {
      if (kind !== "capability" && kind !== "example") continue;
      texts.push(prefix + text);
      kinds.push(kind);
    }
    starts[position + 1] = texts.length;
  }
  return { workflowIds: workflows.map(({ workflowId }) => workflowId), starts, texts, kinds };
}
