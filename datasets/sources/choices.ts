/** User settings for the labels of a source. */
export interface LabelChoices {
  /** Labels that mean out of scope, as a whole or as a part of a hierarchy (`out_of_scope/other`). */
  readonly outOfScopeLabels: readonly string[];
  /** What becomes of a row with several labels. */
  readonly severalLabels: "leave-out" | "first";
  /** What becomes of labels that differ only in case and separators. */
  readonly lookAlikes: "merge" | "keep";
}

/** User settings for a table; everything else is recognised. */
export interface TableChoices {
  readonly textColumn?: string;
  readonly labelColumn?: string;
  readonly partColumn?: string;
}

/** User settings for a source; everything else is recognised from the bytes. */
export interface MaterialChoices extends TableChoices, LabelChoices {
  /** Language of the phrases, e.g. "en"; undefined: English if there is any, otherwise the one with the most phrases. */
  readonly language?: string;
  /** Sheet of an Excel workbook; undefined: the visible one whose columns are recognised, with the most rows. */
  readonly sheet?: string;
  /** Takes quoted emails, signatures and HTML out of the texts. */
  readonly clean?: boolean;
}

/** Default settings. */
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
