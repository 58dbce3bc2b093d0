import type { WorkflowId } from "../../src/domain/primitives.js";

/** Longest id that a catalog takes. */
const maximumLength = 128;

/** Words of a label: cut at signs, white space and where a small letter meets a capital; lower case. */
export function wordsOfLabel(label: string): readonly string[] {
  return label
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/**
 * The workflow id of each distinct label, in order of first appearance. Labels that give the same id are told apart by
 * a number (`refund`, `refund_2`), so that no label is refused for how it is written.
 */
export function workflowIdsFor(labels: Iterable<string>): ReadonlyMap<string, WorkflowId> {
  const taken = new Set<string>();
  const ids = new Map<string, WorkflowId>();
  for (const label of labels) {
    if (ids.has(label)) continue;
    const id = freeId(plainId(label), taken);
    taken.add(id);
    ids.set(label, id as WorkflowId);
  }
  return ids;
}

function plainId(label: string): string {
  const parts = label.split(/[./]/).map((part) =>
    wordsOfLabel(part)
      .join("_")
      .replace(/[^a-z0-9_]/g, ""),
  );
  const id = parts.filter((part) => part !== "").join(".");
  const started = /^[a-z]/.test(id) && id.length >= 3 ? id : `workflow_${id === "" ? "unnamed" : id}`;
  return started.slice(0, maximumLength);
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  for (let number = 2; ; number += 1) {
    const suffix = `_${number}`;
    const next = `${id.slice(0, maximumLength - suffix.length)}${suffix}`;
    if (!taken.has(next)) return next;
  }
}
