import type { CatalogFile } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { BadRow } from "../bad-rows.js";

/** Source of rows: the file as named by the reader, the digest of its bytes, and its licence when known. */
export interface DataSource {
  readonly file: string;
  readonly sha256: string;
  readonly licence: string | null;
}

/** Result of every importer. `catalog` is null when the source describes no workflows. */
export interface ImportedDataset {
  readonly rows: readonly LabelledRequest[];
  readonly catalog: CatalogFile | null;
  readonly sources: readonly DataSource[];
  /** Faults of the rows that were left out; empty unless the caller allowed some. */
  readonly badRows: readonly BadRow[];
  /** Workflow id of each label of the source; absent where the source names workflows by their ids. */
  readonly workflowIds?: ReadonlyMap<string, WorkflowId>;
}

/** Options of every importer. */
export interface ImportOptions {
  /** Rows that may be bad and are then left out. Default 0. */
  readonly maxBadRows?: number;
}

/** A file in memory: its name for messages and its bytes. */
export interface SourceFile {
  readonly file: string;
  readonly bytes: Uint8Array;
}
