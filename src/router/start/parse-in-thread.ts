import { setImmediate } from "node:timers/promises";
import { bundleFiles } from "../../trust/bundle-layout.js";
import { runInThread } from "../../trust/thread.js";
import type { Catalog } from "../../documents/catalog.js";
import { readCatalogLines } from "../catalog-lines.js";

export interface CatalogTask {
  readonly bytes: Uint8Array;
  readonly name: string;
}

/** A catalog, and the same in the form that threads read. */
export interface ParsedCatalog {
  readonly catalog: Catalog;
  readonly lines: Uint8Array;
}

/** Runs `parseCatalog` in another thread, for the catalog of a bundle. @throws {SluiceError} as `parseCatalog` */
export async function parseCatalogInThread(bytes: Uint8Array): Promise<ParsedCatalog> {
  const task: CatalogTask = { bytes, name: bundleFiles.catalog };
  const lines = await runInThread<Uint8Array>(new URL("./catalog.worker.js", import.meta.url), task);
  return { catalog: await readCatalogLines(lines, () => setImmediate()), lines };
}
