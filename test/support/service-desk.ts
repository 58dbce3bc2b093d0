/** The shipped dataset, read from its files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadCatalog } from "../../src/router/catalog/load.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { packageRoot } from "./package-root.js";

const folder = join(packageRoot, "datasets/service-desk");

export async function serviceDeskCatalog(): Promise<Catalog> {
  return (await loadCatalog(join(folder, "catalog.yaml"))).catalog;
}

export function serviceDeskRequests(): readonly LabelledRequest[] {
  const lines = readFileSync(join(folder, "requests.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as LabelledRequest);
}
