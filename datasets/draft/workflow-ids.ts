import { sha256Hex } from "../../src/base/sha256.js";
import { type WorkflowId, workflowIdGrammar } from "../../src/documents/primitives.js";
import { freeId } from "../free-id.js";

/** Maximum length of a workflow id, in characters. */
const maximumLength = 128;

/** ASCII spelling of letters that do not decompose into a base letter and an accent. */
const written: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ð: "d",
  þ: "th",
  đ: "d",
  ł: "l",
  ı: "i",
};

/**
 * Words of a label in lower case, split at punctuation, white space, and between a lower-case and an upper-case letter.
 */
export function wordsOfLabel(label: string): readonly string[] {
  return label
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(/[ßæœøðþđłı]/gu, (letter) => written[letter] ?? letter)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/**
 * The workflow id of each distinct label, in order of first appearance. A label that is a valid id is used unchanged;
 * any other label is converted by `workflowIdFor`. Labels with the same id are numbered (`refund`, `refund_2`), so that
 * every spelling is accepted.
 * @param known  ids of an earlier import by label, which are reused
 */
export function workflowIdsFor(
  labels: Iterable<string>,
  known: ReadonlyMap<string, WorkflowId> = new Map(),
): ReadonlyMap<string, WorkflowId> {
  const distinct = new Set(labels);
  const ids = new Map([...known].filter(([label]) => distinct.has(label)));
  const taken = new Set<string>(known.values());
  const settle = (label: string, id: WorkflowId): void => {
    const free = freeId(id, taken, { separator: "_", longest: maximumLength }) as WorkflowId;
    taken.add(free);
    ids.set(label, free);
  };
  const open = [...distinct].filter((label) => !ids.has(label));
  for (const label of open) if (isWorkflowId(label)) settle(label, label);
  for (const label of open) if (!ids.has(label)) settle(label, workflowIdFor(label));
  return new Map([...distinct].map((label) => [label, ids.get(label) ?? workflowIdFor(label)]));
}

/**
 * The id of one label: a valid id is used unchanged; otherwise its words in lower case, joined by underscores, with
 * slashes replaced by dots. The id of a label without Latin letters is derived from its digest, so it is the same on
 * every import.
 */
export function workflowIdFor(label: string): WorkflowId {
  if (isWorkflowId(label)) return label;
  const parts = label.split(/[./]/).map((part) =>
    wordsOfLabel(part)
      .join("_")
      .replace(/[^a-z0-9_]/g, "")
      .replace(/^_+|_+$/g, ""),
  );
  const id = parts.filter((part) => part !== "").join(".");
  if (id === "") return `workflow_${sha256Hex(label).slice(0, 8)}` as WorkflowId;
  const started = /^[a-z]/.test(id) && id.length >= 3 ? id : `workflow_${id}`;
  return started.slice(0, maximumLength) as WorkflowId;
}

export const isWorkflowId = (text: string): text is WorkflowId => workflowIdGrammar.test(text);
