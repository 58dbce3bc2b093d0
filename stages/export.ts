import { readDirectory } from "../src/trust/directory-hash.js";
import { ociLayout } from "../release/bundle-files/oci-layout.js";
import { writeTar } from "../release/bundle-files/tar.js";
import { writeFolder } from "../release/bundle-files/write-folder.js";
import { replaceFile } from "../src/trust/write-new-file.js";
import type { BundleId } from "../src/documents/primitives.js";
import { withHistory } from "../store/records/with-history.js";
import { type ExportedApproved, exportApproved } from "./export/export-approved.js";
import { type JudgeFiles, namesOf } from "./project/decision-judge.js";
import { readManifest } from "../release/read-manifest.js";
import { readRevocations } from "../release/read-revocations.js";
import { readTrust } from "../release/read-trust.js";
import type { WorkbenchContext } from "../store/workbench-context.js";

/** Which bundle is written, and where. */
export interface ExportReleaseOptions extends JudgeFiles {
  /** Bundle id or its beginning. Default: the latest manifest. */
  readonly bundle?: string | undefined;
  /** Folder to write. Default: bundle/ of the workspace. */
  readonly directory?: string | undefined;
  /** Archive to write in addition; equal bundles give equal bytes. */
  readonly tar?: string | undefined;
  /** Folder for an OCI image layout of the same files. */
  readonly oci?: string | undefined;
  /** Replaces existing folders. Default false. */
  readonly replace?: boolean;
  /** Also writes the scored records, without texts, so that the claim can be derived from the bundle. Default false. */
  readonly withRecords?: boolean;
}

/** A bundle that was written. */
export interface ExportedRelease extends ExportedApproved {
  readonly directory: string;
  readonly bundleId: string;
  readonly bundleVersion: string;
  readonly environment: string;
}

/**
 * Writes an approved bundle into a folder, atomically, for a production server. A bundle that does not verify is not
 * written.
 *
 * @example const { directory } = await exportRelease(workbench, { replace: true });
 * @throws {SluiceError} THRESHOLD_NOT_MET and the other codes of verifying; FILE_EXISTS, WRITE_FAILED,
 *   FILE_NOT_FOUND, RECORDS_HOLD_TEXT, NOT_REPRODUCIBLE (`withRecords`)
 */
export async function exportRelease(
  workbench: WorkbenchContext,
  options: ExportReleaseOptions = {},
): Promise<ExportedRelease> {
  const { environment = "production", replace = false, withRecords = false } = options;
  const { directory = workbench.workspace.bundle } = options;
  const trustPolicyBytes = await readTrust(workbench, options.trustFile);
  const revocationBytes = await readRevocations(workbench, namesOf(options));
  return withHistory(workbench, "write", async (session) => {
    const manifest = readManifest(session.history, options.bundle);
    const judge = { trustPolicyBytes, revocationBytes, environment };
    const exported = await exportApproved(session, { manifest, directory, replace, withRecords, ...judge });
    await writePacked(directory, manifest.bundleId, options);
    const { bundleId, predicate } = manifest;
    return { ...exported, directory, bundleId, bundleVersion: predicate.bundle_version, environment };
  });
}

/** The exported folder as an archive and as an OCI layout. */
async function writePacked(
  directory: string,
  bundleId: BundleId,
  { tar, oci, replace = false }: ExportReleaseOptions,
): Promise<void> {
  if (tar === undefined && oci === undefined) return;
  const { files } = await readDirectory(directory);
  if (tar !== undefined) await replaceFile(tar, writeTar(files), 0o644);
  if (oci !== undefined) await writeFolder({ directory: oci, files: ociLayout(files, bundleId), replace });
}
