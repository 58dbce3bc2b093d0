import type { WorkflowId } from "../../src/documents/primitives.js";

export interface LabelChoices {
  /** Labels that mean out of scope, either as a whole or as a level of a hierarchy (`out_of_scope/other`). */
  readonly outOfScopeLabels: readonly string[];
  readonly severalLabels: "leave-out" | "first";
  /** Whether to merge labels that differ only in case and separators. */
  readonly lookAlikes: "merge" | "keep";
  /** Workflow ids by label from an earlier import. Labels with the same id are merged. */
  readonly knownIds?: ReadonlyMap<string, WorkflowId>;
}

/** The column of the request texts, or several whose cells are joined by a line break, in this order. */
export type TextColumns = string | readonly string[];

export const textColumnNames = (columns: TextColumns | undefined): readonly string[] =>
  columns === undefined ? [] : typeof columns === "string" ? [columns] : [...new Set(columns)];

export const asTextColumns = (names: readonly string[]): TextColumns => (names.length === 1 ? (names[0] ?? "") : names);

/** Settings for a table; everything else is recognised automatically. */
export interface TableChoices {
  readonly textColumn?: TextColumns;
  readonly labelColumn?: string;
  readonly partColumn?: string;
  /** Column of the conversation; null: every text stands alone; undefined: recognised. */
  readonly conversationColumn?: string | null;
  /** Column of numbers that order a conversation; undefined: recognised, otherwise the order of the file. */
  readonly turnColumn?: string;
  /** Labels and workflow ids of the project. A column with mostly such values is the label column. Default: none. */
  readonly knownLabels?: ReadonlySet<string>;
}

/** Settings for a source; everything else is recognised from its bytes. */
export interface MaterialChoices extends TableChoices, LabelChoices {
  /**
   * Language of the phrases to use, e.g. "en"; undefined: English if present, otherwise the language with the most
   * phrases.
   */
  readonly language?: string;
  /**
   * Sheet of an Excel workbook; undefined: of the visible sheets with recognised columns, the one with the most rows.
   */
  readonly sheet?: string;
  /** Encoding of text files, e.g. "shift_jis"; undefined: detected from the bytes. */
  readonly encoding?: string;
  /** Removes quoted emails, signatures and HTML from the texts. */
  readonly clean?: boolean;
}

export const defaultChoices: MaterialChoices = {
  outOfScopeLabels: [
    "out_of_scope",
    "oos",
    "ood",
    "out_of_domain",
    "none",
    "nlu_fallback",
    "fallback",
    "fallback_intent",
    "default_fallback_intent",
    "no_intent",
    "none_intent",
    "none_of_the_above",
    "off_topic",
  ],
  severalLabels: "leave-out",
  lookAlikes: "merge",
};
