import type { CatalogFile } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { BadRow } from "../bad-rows.js";

/** Source of rows: the file name, the digest of its bytes, and its licence if known. */
export interface DataSource {
  readonly file: string;
  readonly sha256: string;
  readonly licence: string | null;
}

/** Result of every importer. `catalog` is null if the source does not describe workflows. */
export interface ImportedDataset {
  readonly rows: readonly LabelledRequest[];
  readonly catalog: CatalogFile | null;
  readonly sources: readonly DataSource[];
  /** Faults of the rows that were left out; empty unless the caller allowed bad rows. */
  readonly badRows: readonly BadRow[];
  /** Workflow id of each label of the source; omitted if the source uses workflow ids as labels. */
  readonly workflowIds?: ReadonlyMap<string, WorkflowId>;
}

/** Options shared by all importers. */
export interface ImportOptions {
  /** Maximum number of bad rows, which are left out. Default 0. */
  readonly maxBadRows?: number;
}

/** A file in memory: its name (for messages) and its bytes. */
export interface SourceFile {
  readonly file: string;
  readonly bytes: Uint8Array;
}
