/**
 * The values of options with a fixed set of choices. They are in a separate module so that a help text does not load
 * the modules that do the work.
 */

/** Number of inference threads by default. */
export const defaultWorkers = 2;

export const exportForms = ["yaml", "json", "csv"] as const;
export type ExportForm = (typeof exportForms)[number];

export const exportedRows = ["requests", "candidates"] as const;

/** Sort orders of errors: by confidence or by id. The most confident wrong routes are the worst. */
export const errorOrders = ["surest", "doubted", "id"] as const;
export type ErrorOrder = (typeof errorOrders)[number];

export const datasetFormats = ["auto", "jsonl", "table"] as const;
export type DatasetFormat = (typeof datasetFormats)[number];

export const schemaNames = ["catalog", "project", "policy", "requests", "retriever", "verifier", "grants"] as const;

/** The type of an object without its undefined values. */
type GivenOnly<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy of an object without its undefined values. */
export function givenOnly<T extends object>(values: T): GivenOnly<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as GivenOnly<T>;
}
