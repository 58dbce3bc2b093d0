import { groupBy } from "../../src/base/group-by.js";
import type { SourceFollowUp, SourceText, Turn } from "./parsed-source.js";
import type { ConversationColumns } from "./tables/choose-columns.js";
import { cellText, type GridRow } from "./tables/grid.js";

/**
 * The place of each row in its conversation. A row without a conversation stands alone.
 * @param rows  the rows of the user, in the order of the file
 */
export function turnsOfRows(
  rows: readonly GridRow[],
  columns: ConversationColumns | null,
): (row: GridRow) => Pick<SourceText, "turn"> {
  if (columns === null) return () => ({});
  const { id, turn, previous } = columns;
  const textAt = ({ cells }: GridRow, column: number): string => cellText(cells[column]) ?? "";
  const placed = rows.filter((row) => textAt(row, id) !== "");
  const turns = [...groupBy(placed, (row) => textAt(row, id))].flatMap(([conversation, own]) => {
    const ordered = turn === null ? own : own.toSorted((a, b) => inOrder(textAt(a, turn), textAt(b, turn)));
    return ordered.map((row, index): [GridRow, Turn] => {
      const stated = previous === null ? undefined : textAt(row, previous) || null;
      return [row, { conversation, index, ...(stated === undefined ? {} : { previous: stated }) }];
    });
  });
  const of = new Map(turns);
  return (row) => {
    const own = of.get(row);
    return own === undefined ? {} : { turn: own };
  };
}

/** By number, or else as texts, as dates are written. */
const inOrder = (a: string, b: string): number => Number(a) - Number(b) || (a < b ? -1 : 1);

/**
 * Separates texts that follow another one from those that stand alone. The request before a follow-up is the one that a column
 * states, or else the last labelled one before it in the conversation.
 * @param settled  the label of a workflow, or null for out of scope, by each label of the source as written
 */
export function separateFollowUps(
  texts: readonly SourceText[],
  settled: ReadonlyMap<string, string | null>,
): { readonly texts: readonly SourceText[]; readonly followUps: readonly SourceFollowUp[] } {
  const turns = texts.flatMap((text) => (text.turn === undefined ? [] : [{ text, turn: text.turn }]));
  const follows = ({ index, previous }: Turn): boolean => index > 0 || (previous ?? null) !== null;
  const followUps = [...groupBy(turns, ({ text, turn }) => JSON.stringify([text.file, turn.conversation])).values()]
    .map((own) => own.toSorted((a, b) => a.turn.index - b.turn.index))
    .flatMap((own) =>
      own.map(({ text, turn }, at): [SourceText, SourceFollowUp] | null => {
        if (!follows(turn)) return null;
        const stated = turn.previous ?? null;
        const last = turn.previous === undefined ? (own[at - 1]?.text.label ?? null) : null;
        const previous = stated === null ? last : (settled.get(stated) ?? null);
        return [text, { ...text, conversation: turn.conversation, previous }];
      }),
    );
  const of = new Map(followUps.filter((pair) => pair !== null));
  return { texts: texts.filter((text) => !of.has(text)), followUps: texts.flatMap((text) => of.get(text) ?? []) };
}
