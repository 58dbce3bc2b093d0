/** What a person may say about the labels of a source. */
export interface LabelChoices {
  /** Labels that mean out of scope, compared in lower case. */
  readonly outOfScopeLabels: readonly string[];
}

/** What a person may say about a table; everything else is recognised. */
export interface TableChoices extends LabelChoices {
  readonly textColumn?: string;
  readonly labelColumn?: string;
  readonly partColumn?: string;
}

/** What a person may say about a source; everything else is recognised from the bytes. */
export interface MaterialChoices extends TableChoices {
  /** Language of the phrases of a Dialogflow agent, as its files are named, e.g. "en". */
  readonly language: string;
  /** Sheet of an Excel workbook; undefined: the one with the most rows. */
  readonly sheet?: string;
}

/** Choices of somebody who says nothing. */
export const defaultChoices: MaterialChoices = {
  language: "en",
  outOfScopeLabels: ["oos", "ood", "out_of_scope", "out of scope", "out-of-scope", "none", "nlu_fallback"],
};
