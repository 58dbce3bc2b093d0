import type { RouteRequest } from "../documents/request.js";
import type { Lineage } from "../documents/response.js";
import { SluiceError } from "../base/error.js";

/**
 * Refuses a request that names a catalog version other than the active one. @throws {SluiceError}
 * CATALOG_VERSION_MISMATCH
 */
export function requireCatalogVersion(
  { catalog_version: active }: Pick<Lineage, "catalog_version">,
  { catalog_version: named }: Pick<RouteRequest, "catalog_version">,
): void {
  if (named === null || named === active) return;
  throw new SluiceError("CATALOG_VERSION_MISMATCH", `the active catalog version is ${active}`, {
    hint: "Read the active version from GET /health and send it as catalog_version.",
  });
}
