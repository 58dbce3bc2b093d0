import { bundleFiles, bundleFolders } from "../src/trust/bundle-layout.js";
import { checkReleaseState, raiseSeen, verifiedList } from "../src/trust/release-state.js";
import { type ReverifiedBundle, verifyAgainInThread, verifyInThread } from "../src/trust/verify/verification-thread.js";
import type { VerifiedBundle } from "../src/trust/verify/verify-bundle.js";
import { createBundleRouter } from "../src/router/bundle-router.js";
import { createBundleLoader } from "./load-production-router.js";
import { processorMs } from "../src/inference/processor-time.js";
import { findReasonsInThread } from "./startup/find-startup-reasons.js";

/** Loads approved bundles for this server. */
export const bundleLoader = createBundleLoader<VerifiedBundle, ReverifiedBundle>({
  parts: { ...bundleFiles, retriever: bundleFolders.retriever, verifier: bundleFolders.verifier },
  // Runs in a thread, so that the server answers requests while it verifies another bundle.
  verify: verifyInThread,
  verifyAgain: verifyAgainInThread,
  findReasons: findReasonsInThread,
  checkState: checkReleaseState,
  raiseSeen,
  verifiedList,
  createRouter: (verified, options) =>
    createBundleRouter(verified, { ...options, now: () => performance.now(), workedMs: processorMs }),
});
