import type { DataSource, SourceFile } from "../importers/imported-dataset.js";

/** Recognised kinds of source, with their display names. */
export const sourceKinds = {
  csv: "CSV",
  tsv: "tab-separated text",
  json: "JSON list of rows",
  jsonl: "JSON Lines",
  parquet: "Parquet",
  xlsx: "Excel workbook",
  rasa: "Rasa training data",
  "dialogflow-es": "Dialogflow ES agent",
  "dialogflow-cx": "Dialogflow CX agent",
  luis: "LUIS app",
  clu: "CLU project",
  nlpjs: "nlp.js corpus",
  "semantic-router": "semantic-router routes",
  promptfoo: "promptfoo tests",
  botium: "Botium utterances",
  "openai-tools": "OpenAI tool list",
  "anthropic-tools": "Anthropic tool list",
  "mcp-tools": "MCP tool list",
  openapi: "OpenAPI document",
} as const;
export type SourceKind = keyof typeof sourceKinds;

/** The published part a row belongs to; null when the source has no parts. */
export type SourcePart = "train" | "validation" | "test";

/** One text of a source with its label as written there; `label` null means out of scope. */
export interface SourceText {
  readonly file: string;
  /** Where the text is in its file, e.g. "line 3" or "row 7". */
  readonly at: string;
  readonly text: string;
  readonly label: string | null;
  readonly part: SourcePart | null;
}

/** An input that a tool definition names. */
export interface SourceInput {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** What a source states about a workflow apart from its texts. */
export interface SourceWorkflow {
  readonly label: string;
  readonly description: string | null;
  readonly inputs: readonly SourceInput[];
  /** `null`: the source does not say; a person confirms either value. */
  readonly writes: boolean | null;
}

/** Why a row of a source is not used. There are no other reasons. */
export const leftOutReasons = {
  no_text: "the text is empty",
  too_long: "the text has more than 8,000 characters",
  not_text: "the text cell does not contain text",
  no_label: "the label is empty",
  above_header: "the row is above the header",
  ragged: "the row has more cells than the header",
  repeated: "the same text with the same label occurs earlier",
  two_labels: "the same text occurs with another label",
} as const;
export type LeftOutReason = keyof typeof leftOutReasons;

/** A row that is not used, without its text. */
export interface LeftOutRow {
  readonly file: string;
  readonly at: string;
  readonly reason: LeftOutReason;
}

/** Result of reading a source. Each row of the source is in `texts` or in `leftOut`. */
export interface SourceMaterial {
  readonly kind: SourceKind;
  readonly texts: readonly SourceText[];
  readonly workflows: readonly SourceWorkflow[];
  readonly leftOut: readonly LeftOutRow[];
  /** Decisions of the reader, a sentence each, e.g. "Columns are separated by semicolons." */
  readonly decisions: readonly string[];
  readonly sources: readonly DataSource[];
}

/** Result of a reader of one kind; the caller adds kind and digests. */
export type ReadMaterial = Pick<SourceMaterial, "texts" | "workflows" | "leftOut" | "decisions">;

/** Result of one reader, with its kind and the files that it used. */
export interface KindOfMaterial extends ReadMaterial {
  readonly kind: SourceKind;
  readonly used: readonly SourceFile[];
}
