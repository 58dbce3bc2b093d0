import { bundleFiles, bundleFolders } from "../src/artifacts/bundle-layout.js";
import { checkReleaseState } from "../src/artifacts/release-state.js";
import { type VerifiedBundle, verifyBundle } from "../src/artifacts/verify/verify-bundle.js";
import { createBundleRouter } from "../src/routing/bundle-router.js";
import { createBundleLoader } from "./load-production-router.js";
import { processorMs } from "./processor-time.js";
import { findStartupReasons } from "./startup/find-startup-reasons.js";

/** Loads approved bundles for this server. */
export const bundleLoader = createBundleLoader<VerifiedBundle>({
  parts: { ...bundleFiles, retriever: bundleFolders.retriever, verifier: bundleFolders.verifier },
  verify: verifyBundle,
  findReasons: findStartupReasons,
  checkState: checkReleaseState,
  createRouter: (verified, options) =>
    createBundleRouter(verified, { ...options, now: () => performance.now(), workedMs: processorMs }),
});
