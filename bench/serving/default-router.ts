/** Creates routers of a shipped checkpoint over the service desk catalog. */
import type { RuntimeMode } from "../../src/documents/response.js";
import { loadModels, type ModelSources } from "../../src/router/load-models.js";
import { BundleRouter } from "../../src/router/router.js";
import { anAcceptingCalibration, aPolicy } from "../../test/support/builders.js";
import { serviceDeskCatalog } from "../../test/support/service-desk.js";
import { defaultModels } from "./default-models.js";

/** A router over the service desk catalog, by default with the default models; every tier accepts. */
export async function defaultRouter(
  runtimeMode: RuntimeMode,
  workers: number,
  sources?: ModelSources,
): Promise<BundleRouter> {
  const catalog = await serviceDeskCatalog();
  return new BundleRouter({
    catalog,
    calibration: anAcceptingCalibration(),
    policy: aPolicy({ deadline_ms: 10_000 }),
    models: await loadModels(catalog, sources ?? (await defaultModels()), { workers, queueLimit: 4096 }),
    runtimeMode,
    bundleId: null,
    integrityProblems: () => [],
    now: () => performance.now(),
  });
}
