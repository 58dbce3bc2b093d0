/**
 * The values of closed options. They are separate from the modules that do the work, so that a help text loads none
 * of those.
 */

/** Formats in which a catalog can be written. */
export const exportForms = ["yaml", "json", "csv"] as const;
export type ExportForm = (typeof exportForms)[number];

/** What a row of exported requests is. */
export const exportedRows = ["requests", "candidates"] as const;

/** By confidence or by id; wrong routes are worst when most confident. */
export const errorOrders = ["surest", "least-sure", "id"] as const;
export type ErrorOrder = (typeof errorOrders)[number];

/** Dataset formats that can be read. */
export const datasetFormats = ["auto", "jsonl", "csv", "parquet", "clinc150", "banking77", "sgd"] as const;
export type DatasetFormat = (typeof datasetFormats)[number];

/** Files that have a schema. */
export const schemaNames = ["catalog", "project", "policy", "requests", "retriever", "verifier", "grants"] as const;
