/** The default models (`sluice model fit-lexical`) fitted on the shipped data, in a router of either mode. */
import type { Catalog } from "../../src/domain/catalog.js";
import type { RuntimeMode } from "../../src/domain/response.js";
import { InferencePool } from "../../src/inference/pool.js";
import { loadModels } from "../../src/routing/load-models.js";
import { BundleRouter } from "../../src/routing/router.js";
import { fitLexicalModels } from "../../src/verification/fit/fit-lexical-models.js";
import { anAcceptingCalibration, aPolicy } from "../../test/support/builders.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../test/support/service-desk.js";

const noDigest = "0".repeat(64);
const fittedOn = { datasetSha256: noDigest, splitSha256: noDigest, catalogSha256: noDigest };
/** Every so many-th request is fitted on; speed does not depend on it. */
const fitStep = 8;

/** A router of the default models over the service desk catalog; every tier accepts. */
export async function defaultRouter(runtimeMode: RuntimeMode, workers: number): Promise<BundleRouter> {
  const catalog = await serviceDeskCatalog();
  const sources = await fittedModels(catalog);
  return new BundleRouter({
    catalog,
    calibration: anAcceptingCalibration(),
    policy: aPolicy({ deadlineMs: 10_000 }),
    models: await loadModels(catalog, sources, { workers, queueLimit: 4096 }),
    runtimeMode,
    bundleId: null,
    integrityProblems: () => [],
    now: () => performance.now(),
  });
}

async function fittedModels(catalog: Catalog) {
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const fitRequests = serviceDeskRequests().filter((_, index) => index % fitStep === 0);
    const fitted = await fitLexicalModels({ catalog, fitRequests, fittedOn, topK: aPolicy().topK, seed: 1, pool });
    return { retrieverFiles: fitted.retriever, verifierFiles: fitted.verifier };
  } finally {
    await pool.close();
  }
}
