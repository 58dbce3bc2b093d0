/** Words that a caller chooses among, apart from the modules that do the work, so that a help text loads none of them. */

/** Formats of a catalog that is written. */
export const exportForms = ["yaml", "json", "csv"] as const;
export type ExportForm = (typeof exportForms)[number];

/** What a row of exported requests is. */
export const exportedRows = ["requests", "candidates"] as const;

/** By confidence or by id; for wrong routes the surest are the worst. */
export const errorOrders = ["surest", "least-sure", "id"] as const;
export type ErrorOrder = (typeof errorOrders)[number];

/** Formats of a data set that is read. */
export const datasetFormats = [
  "auto",
  "jsonl",
  "csv",
  "parquet",
  "clinc150",
  "banking77",
  "sgd",
  "rasa",
  "dialogflow",
] as const;
export type DatasetFormat = (typeof datasetFormats)[number];

/** Files of which there is a schema. */
export const schemaNames = ["catalog", "project", "policy", "requests", "retriever", "verifier", "grants"] as const;
