import type { EditedRequests } from "../../reports/release/release-page.js";
import { printable, workflowText } from "../../src/base/text.js";
import { formatCount } from "../../src/documents/number-text.js";
import type { Split } from "../../src/documents/split.js";

/** The label of each labelled text with its context. */
export type LabelsByText = ReadonlyMap<string, string | null>;

/** How the labelled requests changed, as a further sentence; "" if they did not. */
export function requestChanges(before: LabelsByText, now: LabelsByText): string {
  const [old, next] = [[...before], [...now]];
  const counts = [
    [next.filter(([text]) => !before.has(text)).length, "added"],
    [old.filter(([text]) => !now.has(text)).length, "removed"],
    [next.filter(([text, label]) => before.has(text) && before.get(text) !== label).length, "relabelled"],
  ] as const;
  const changed = counts.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`);
  return changed.length === 0 ? "" : ` Labelled requests since then: ${changed.join(", ")}.`;
}

/** Maximum number of edited requests that the page lists; the others are counted. */
const mostEdited = 100;

/** @param approved  edits that the page of the given release before lists; they are marked and counted */
export function listedEdits(
  edits: readonly Edit[],
  {
    approved,
    release,
    authors,
  }: {
    readonly approved: readonly Edit[];
    readonly release: number;
    readonly authors: ReadonlyMap<string, string>;
  },
): EditedRequests {
  const keyOf = ({ id, what }: Edit): string => `${id} ${what}`;
  const known = new Set(approved.map(keyOf));
  const isKnown = (edit: Edit): boolean => known.has(keyOf(edit));
  return {
    requests: edits.length,
    known: edits.filter(isKnown).length,
    listed: edits.slice(0, mostEdited).map((edit) => ({
      id: printable(edit.id),
      label: workflowText(edit.workflow_id),
      by: authors.get(edit.id) ?? "",
      what: printable(isKnown(edit) ? `${edit.what} (on the page of release ${release} already)` : edit.what),
    })),
  };
}

type Edit = Pick<NonNullable<Split["withdrawn"]>[number], "id" | "workflow_id"> & { readonly what: string };

export const editsOf = ({ withdrawn = [], held_out_changes: changes = [] }: Split): readonly Edit[] => [
  ...withdrawn.map(({ reason, ...request }) => ({ ...request, what: `withdrawn: ${reason}` })),
  ...changes.map(({ change, ...request }) => ({ ...request, what: `held out, then ${change}` })),
];
