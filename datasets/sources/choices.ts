/** User settings for the labels of a source. */
export interface LabelChoices {
  /** Labels that mean out of scope, compared in lower case. */
  readonly outOfScopeLabels: readonly string[];
}

/** User settings for a table; everything else is recognised. */
export interface TableChoices extends LabelChoices {
  readonly textColumn?: string;
  readonly labelColumn?: string;
  readonly partColumn?: string;
}

/** User settings for a source; everything else is recognised from the bytes. */
export interface MaterialChoices extends TableChoices {
  /** Language of the phrases of a Dialogflow agent, as its files are named, e.g. "en". */
  readonly language: string;
  /** Sheet of an Excel workbook; undefined: the one with the most rows. */
  readonly sheet?: string;
}

/** Default settings. */
export const defaultChoices: MaterialChoices = {
  language: "en",
  outOfScopeLabels: ["oos", "ood", "out_of_scope", "out of scope", "out-of-scope", "none", "nlu_fallback"],
};
