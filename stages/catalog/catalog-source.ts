import { readYaml } from "../../src/router/catalog/read-yaml.js";
import { type Catalog, type CatalogFile, CatalogFileSchema } from "../../src/documents/catalog.js";
import type { Reference } from "../../store/records/reference.js";
import { catalogOf, withHistory } from "../../store/records/with-history.js";
import { shortId } from "../../src/base/text.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";

/** A catalog as its author wrote it and in parsed form. */
export interface CatalogSource {
  /** How messages call it: the file, or the beginning of its digest. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly file: CatalogFile;
  readonly catalog: Catalog;
}

/**
 * A catalog from a file, from the history by id, or the latest one of the history.
 * @throws {SluiceError} FILE_NOT_FOUND, RECORD_NOT_FOUND, RECORD_AMBIGUOUS, SYNTAX_INVALID, SCHEMA_INVALID, CATALOG_INVALID
 */
export async function catalogSource(
  context: WorkbenchContext,
  reference: Reference | undefined,
): Promise<CatalogSource> {
  if (reference?.kind === "file") {
    const { loadCatalog } = await import("../../src/router/catalog/load.js");
    const { catalog, bytes } = await loadCatalog(reference.path);
    return { name: reference.path, bytes, catalog, file: readYaml(CatalogFileSchema, bytes, reference.path) };
  }
  return withHistory(context, "read", async ({ history }) => {
    const { sha256, bytes, document } = await catalogOf(history, reference);
    const name = `catalog ${shortId(sha256)}`;
    const kept = Buffer.from(bytes);
    return { name, bytes: kept, catalog: document, file: readYaml(CatalogFileSchema, kept, name) };
  });
}
