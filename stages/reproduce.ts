import { type OptionsOf, resolveOptions } from "../src/base/options.js";
import { reproduceClaimOptions } from "./options/release.js";
import { withHistory } from "../store/records/session.js";
import { readManifest } from "../release/read-signed.js";
import { readTarFile } from "../release/bundle-files/tar.js";
import type { Reproduction } from "./reproduce/reproduce-bundle.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

export type ReproduceClaimOptions = OptionsOf<typeof reproduceClaimOptions>;

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
  const { bundle, from, platform, workers } = resolveOptions("reproduceClaim", reproduceClaimOptions, options);
  const { reproduceBundle } = await import("./reproduce/reproduce-bundle.js");
  const chosen = { from, platform, workers: Math.max(1, workers) };
  if (bundle?.kind === "file") {
    const directory = bundle.path;
    const { claimSourcesOfBundle } = await import("./reproduce/bundle-sources.js");
    return reproduceBundle(
      workbench,
      await claimSourcesOfBundle({ directory, files: await readTarFile(directory) }),
      chosen,
    );
  }
  const { claimSourcesOfHistory } = await import("./reproduce/claim-sources.js");
  return withHistory(workbench, "read", async (session) =>
    reproduceBundle(workbench, claimSourcesOfHistory(session, readManifest(session.history, bundle?.id)), chosen),
  );
}
