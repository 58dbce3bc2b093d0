import { SluiceError } from "../src/errors/error.js";
import { createBundleLoader } from "./load-production-router.js";

/** Loads approved bundles for this server. */
export const bundleLoader = createBundleLoader({
  parts: {
    manifest: "manifest.dsse.json",
    catalog: "catalog.yaml",
    calibration: "calibration.json",
    policy: "policy.json",
    golden: "golden.json",
    retriever: "models/retriever",
    verifier: "models/verifier",
  },
  verify: () => Promise.reject(new SluiceError("INTERNAL", "this build cannot verify bundles")),
  createRouter: () => Promise.reject(new SluiceError("INTERNAL", "this build cannot build routers")),
});
