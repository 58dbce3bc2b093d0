import { type SourceKind, type LeftOutReason } from "../../src/documents/choices.js";
import type { DataSource, SourceFile } from "../importers/imported-dataset.js";

/** The published part a row belongs to; null when the source has no parts. */
export type SourcePart = "train" | "validation" | "test";

/** One text of a source with its label as written there; `label` null means out of scope. */
export interface SourceText {
  readonly file: string;
  /** Where the text is in its file, e.g. "line 3", "row 7" or "intents[2].examples[0]". */
  readonly at: string;
  readonly text: string;
  readonly label: string | null;
  readonly part: SourcePart | null;
}

/** An input that a tool definition or an intent names. */
export interface SourceInput {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** What running a workflow does, as far as a source says. */
export type SourceEffect = "reads" | "writes" | "destroys";

/** What a source states about a workflow apart from its texts. */
export interface SourceWorkflow {
  readonly label: string;
  readonly description: string | null;
  readonly inputs: readonly SourceInput[];
  /** `null`: the source does not say. */
  readonly effect: SourceEffect | null;
  /** Name and JSON Schema of a tool as its list has them; absent for other sources. */
  readonly tool?: { readonly name: string; readonly inputSchema: object };
}

/** A row that is not used, without its text. */
export interface LeftOutRow {
  readonly file: string;
  readonly at: string;
  readonly reason: LeftOutReason;
}

/** The columns that a table was read by; null where it has none. */
export interface ChosenNames {
  readonly textColumn: string;
  readonly labelColumn: string;
  readonly partColumn: string | null;
  /** Columns that could have been chosen instead, the likeliest first. */
  readonly alsoTexts: readonly string[];
  readonly alsoLabels: readonly string[];
}

/** The first rows of a table as it was read, for a person to look at. */
export interface TablePreview {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Result of reading a source. Each row of the source is in `texts` or in `leftOut`. */
export interface SourceMaterial {
  readonly kind: SourceKind;
  readonly texts: readonly SourceText[];
  readonly workflows: readonly SourceWorkflow[];
  readonly leftOut: readonly LeftOutRow[];
  /** Decisions of the reader, a sentence each, e.g. "Columns are separated by semicolons." */
  readonly decisions: readonly string[];
  /** What a person should look at before anything is scored, a sentence each. */
  readonly warnings: readonly string[];
  /** null for a source without columns, or with columns that differ between its files. */
  readonly columns: ChosenNames | null;
  /** null for a source without one table. */
  readonly preview: TablePreview | null;
  readonly sources: readonly DataSource[];
}

/** Result of a reader of one kind; the caller adds kind and digests. */
export type ReadMaterial = Pick<SourceMaterial, "texts" | "workflows" | "leftOut" | "decisions"> &
  Partial<Pick<SourceMaterial, "columns" | "preview" | "warnings">>;

/** Result of one reader, with its kind and the files that it used. */
export interface KindOfMaterial extends ReadMaterial {
  readonly kind: SourceKind;
  readonly used: readonly SourceFile[];
}
