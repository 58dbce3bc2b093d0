import { checkGolden } from "../check-golden.js";
import { loadRouterModels } from "../load-models.js";
import { BundleRouter, type RouterParts } from "../router.js";
import type { StartDocuments } from "./start-checks.js";

export interface WarmOptions
  extends Pick<
    RouterParts,
    | "bundleId"
    | "environment"
    | "integrityProblems"
    | "integrityChecked"
    | "release"
    | "approvedUntil"
    | "now"
    | "workedMs"
    | "onBackendError"
  > {
  readonly workers: number;
}

/** Maximum number of waiting and running jobs; further ones are refused. */
const queueLimit = 512;

/**
 * Last step of a start: loads both models, warms the whole index and reproduces the golden decisions.
 * @throws {SluiceError} MODEL_INVALID, MODEL_RUN_FAILED, WARMUP_FAILED
 */
export async function warmRouter(documents: StartDocuments, options: WarmOptions): Promise<BundleRouter> {
  const { catalog, calibration, policy, golden, sources } = documents;
  const { workers, ...parts } = options;
  const models = await loadRouterModels({ catalog, policy }, sources, { workers, queueLimit });
  const router = new BundleRouter({ catalog, calibration, policy, models, runtimeMode: "production", ...parts });
  try {
    await checkGolden(router, golden);
    return router;
  } catch (error) {
    await router.close();
    throw error;
  }
}
