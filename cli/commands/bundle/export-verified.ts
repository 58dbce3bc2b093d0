import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { SluiceError } from "../../../src/errors/error.js";
import { shortId } from "../../records.js";
import type { ExportedApproved, ExportOptions } from "../../stages/export-approved.js";
import type { Stage } from "../../stages/stage.js";

/**
 * Exports a bundle only after a trial copy beside its place was verified, so that a bundle without its approvals is
 * never left in a folder and never takes the place of a good one.
 * @throws {SluiceError} those of `exportApproved`, in words about the place that was meant; WRITE_FAILED
 */
export async function exportVerified(stage: Stage, options: ExportOptions): Promise<ExportedApproved> {
  const { exportApproved } = await import("../../stages/export-approved.js");
  const { directory, manifest } = options;
  const trial = await trialFolder(directory);
  const copy = join(trial, "bundle");
  try {
    await exportApproved(stage, { ...options, directory: copy, replace: false });
  } catch (cause) {
    if (!(cause instanceof SluiceError) || cause.entry.area !== "signing") throw cause;
    throw new SluiceError(cause.code, cause.message.replaceAll(copy, directory), {
      hint: `Nothing was written. What an approver runs: sluice approve --bundle ${shortId(manifest.bundleId)} --approver NAME --key FILE`,
      details: cause.details ?? {},
      cause,
    });
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
  return exportApproved(stage, options);
}

async function trialFolder(directory: string): Promise<string> {
  return mkdtemp(`${directory}.trial-`).catch((cause: NodeJS.ErrnoException) => {
    throw new SluiceError("WRITE_FAILED", `${directory}: cannot be written (${cause.code ?? "no code"})`, {
      hint: "Choose a folder whose parent exists and is writable.",
      cause,
    });
  });
}
