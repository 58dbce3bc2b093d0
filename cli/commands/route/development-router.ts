import type { Calibration } from "../../../src/domain/calibration.js";
import type { History } from "../../../src/history/open.js";
import { loadModels } from "../../../src/routing/load-models.js";
import { BundleRouter } from "../../../src/routing/router.js";
import { type Kept, readCalibration, readCatalog, readModel, readPolicy, readRun } from "../../stages/read-records.js";

/** Runs that may wait at once. */
const queueLimit = 64;

/**
 * The router that serves, with the records behind a calibration instead of a signed bundle.
 * @param calibrationId  id or its beginning; undefined takes the latest
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS, MODEL_INVALID
 */
export async function developmentRouter(
  history: History,
  calibrationId: string | undefined,
): Promise<{ readonly router: BundleRouter; readonly calibration: Kept<Calibration> }> {
  const calibration = readCalibration(history, calibrationId);
  const run = readRun(history, calibration.document.digests.run).document;
  const catalog = readCatalog(history, run.catalogSha256).document;
  const policy = readPolicy(history, run.policySha256).document;
  const retrieverFiles = readModel(history, run.retrieverSha256).files;
  const verifierFiles = readModel(history, run.verifierSha256).files;
  const models = await loadModels(catalog, { retrieverFiles, verifierFiles }, { workers: 1, queueLimit });
  const router = new BundleRouter({
    catalog,
    calibration: calibration.document,
    policy,
    models,
    runtimeMode: "development",
    bundleId: null,
    integrityProblems: () => [],
    now: () => performance.now(),
  });
  return { router, calibration };
}
