import { defaultWorkers } from "./choices.js";
import { optionsOf, requireOptions } from "./checked-options.js";
import { withHistory } from "../store/records/session.js";
import { readManifest } from "../release/read-signed.js";
import type { ReproductionSource } from "../src/documents/choices.js";
import { readTarFile } from "../release/bundle-files/tar.js";
import type { Reproduction, ReproductionPlatform } from "./reproduce/reproduce-bundle.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

export interface ReproduceClaimOptions {
  /** Bundle id or its beginning. Default: the latest manifest. */
  readonly bundle?: string | undefined;
  /**
   * Folder or archive of a bundle with records, which is used instead of the history. Default: the history of the
   * workspace.
   */
  readonly directory?: string | undefined;
  /** Source of the reproduction. Default "records". */
  readonly from?: ReproductionSource;
  /**
   * Platform to state in the result, e.g.
   * `{ platform: process.platform, arch: process.arch, node: process.versions.node }`.
   */
  readonly platform: ReproductionPlatform;
  /** Number of inference threads for `from: "scores"`. Default 2. */
  readonly workers?: number;
}

const reproduceClaimOptions = optionsOf<ReproduceClaimOptions>()({
  string: ["bundle", "directory", "from"],
  object: ["platform"],
  number: ["workers"],
});

/**
 * Reproduces the claim of a bundle and compares it with the signed calibration and evaluation byte for byte. A
 * difference is a result, not an error. Saves nothing.
 *
 * @example const { equal } = await reproduceClaim(workbench, { platform, from: "scores" });
 * @throws {SluiceError} NOT_REPRODUCIBLE, RECORD_NOT_FOUND, RECORD_AMBIGUOUS, HISTORY_TAMPERED, INTERRUPTED;
 *   HASH_MISMATCH and the other errors of a damaged bundle (`directory`)
 */
export async function reproduceClaim(
  workbench: WorkbenchContext,
  options: ReproduceClaimOptions,
): Promise<Reproduction> {
  requireOptions("reproduceClaim", options, reproduceClaimOptions);
  const { bundle, directory, from = "records", platform, workers = defaultWorkers } = options;
  const { reproduceBundle } = await import("./reproduce/reproduce-bundle.js");
  const chosen = { from, platform, workers };
  if (directory !== undefined) {
    const { claimSourcesOfBundle } = await import("./reproduce/bundle-sources.js");
    return reproduceBundle(
      workbench,
      await claimSourcesOfBundle({ directory, files: await readTarFile(directory) }),
      chosen,
    );
  }
  const { claimSourcesOfHistory } = await import("./reproduce/claim-sources.js");
  return withHistory(workbench, "read", async (session) =>
    reproduceBundle(workbench, claimSourcesOfHistory(session, readManifest(session.history, bundle)), chosen),
  );
}
