import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProductionRouterOptions } from "../../../serve/load-production-router.js";
import { testNow, testTrustBytes } from "../../support/builders-artifacts.js";
import { type BundleChanges, writeServableBundle } from "../../support/servable-bundle.js";

/** Writes `bundle/` and the `trust.json` that it was approved under into a folder. */
export async function writeReleased(folder: string, changes: BundleChanges = {}): Promise<void> {
  writeFileSync(join(folder, "trust.json"), testTrustBytes());
  await writeServableBundle(join(folder, "bundle"), undefined, changes);
}

/** Options of `loadProductionRouter` for the bundle of such a folder. */
export function bundleOptions(folder: string): ProductionRouterOptions {
  return {
    artifactManifestPath: join(folder, "bundle/manifest.dsse.json"),
    catalogPath: join(folder, "bundle/catalog.yaml"),
    calibrationPath: join(folder, "bundle/calibration.json"),
    retrieverModel: join(folder, "bundle/models/retriever"),
    verifierModel: join(folder, "bundle/models/verifier"),
    trustPolicyPath: join(folder, "trust.json"),
    clock: () => testNow,
  };
}
