import type { Text } from "../../src/base/error.js";
import { type SourceKind, type LeftOutReason } from "../../src/documents/choices.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { TextColumns } from "./choices.js";
import type { DataSource, SourceFile } from "../importers/imported-dataset.js";

/** The published part of a row; null if the source has no parts. */
export type SourcePart = "train" | "validation" | "test";

/** One text of a source with its original label; `label` null means out of scope. */
export interface SourceText {
  readonly file: string;
  /** Position of the text in its file, e.g. "line 3", "row 7" or "intents[2].examples[0]". */
  readonly at: string;
  readonly text: string;
  readonly label: string | null;
  readonly part: SourcePart | null;
  /** Its place in a conversation; absent if the source has none. */
  readonly turn?: Turn;
}

export interface Turn {
  readonly conversation: string;
  /** Number of requests of the user before it, labelled or not. */
  readonly index: number;
  /** Label of the request before it, if a column states it; null for none. */
  readonly previous?: string | null;
}

/** A text that follows another one of its conversation. */
export interface SourceFollowUp extends SourceText {
  readonly conversation: string;
  /** Label of the request before it; null: none, or unknown. */
  readonly previous: string | null;
}

/** An input of a tool definition or an intent. */
export interface SourceInput {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** Effect of running a workflow, according to the source. */
export type SourceEffect = "reads" | "writes" | "destroys";

/** Description of a workflow in a source, without its texts. */
export interface SourceWorkflow {
  readonly label: string;
  readonly description: string | null;
  readonly inputs: readonly SourceInput[];
  /** null: not stated in the source. */
  readonly effect: SourceEffect | null;
  /** Name and JSON Schema of a tool from a tool list; omitted for other sources. */
  readonly tool?: { readonly name: string; readonly inputSchema: object };
}

/** An unused row, without its text. */
export interface LeftOutRow {
  readonly file: string;
  readonly at: string;
  readonly reason: LeftOutReason;
  /** What a person needs to decide about the row; labels and places. Default: the reason says it. */
  readonly detail?: string;
}

/** The columns that were used; null if the table has no such column. */
export interface ChosenNames {
  readonly textColumn: TextColumns;
  readonly labelColumn: string;
  readonly partColumn: string | null;
  readonly conversationColumn: string | null;
  readonly turnColumn: string | null;
  /** Columns that could have been chosen instead, most likely first. */
  readonly alsoTexts: readonly string[];
  readonly alsoLabels: readonly string[];
}

/** The first rows of a table as read, for a person to check. */
export interface TablePreview {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Result of reading a source. Each row of the source is in `texts` or in `leftOut`. */
export interface SourceMaterial {
  readonly kind: SourceKind;
  readonly texts: readonly SourceText[];
  readonly followUps: readonly SourceFollowUp[];
  readonly workflows: readonly SourceWorkflow[];
  readonly leftOut: readonly LeftOutRow[];
  /** Decisions of the reader, one sentence each, e.g. "Columns are separated by semicolons." */
  readonly decisions: readonly string[];
  /** What a person should check before scoring, one sentence each. */
  readonly warnings: readonly Text[];
  /** null if the source has no columns or its files have different columns. */
  readonly columns: ChosenNames | null;
  /** null unless the source is a single table. */
  readonly preview: TablePreview | null;
  readonly sources: readonly DataSource[];
  /** Known id by label of `texts`, even when only another spelling has it. */
  readonly ids: ReadonlyMap<string, WorkflowId>;
}

/** Result of a reader of one kind of source; the caller adds kind and digests. */
export type ReadMaterial = Pick<SourceMaterial, "texts" | "workflows" | "leftOut" | "decisions"> &
  Partial<Pick<SourceMaterial, "columns" | "preview" | "warnings" | "ids">>;

export interface KindOfMaterial extends ReadMaterial {
  readonly kind: SourceKind;
  readonly used: readonly SourceFile[];
}
