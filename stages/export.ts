import { comparePaths, readDirectory } from "../src/trust/directory-hash.js";
import { ociLayout } from "../release/bundle-files/oci-layout.js";
import { writeTar } from "../release/bundle-files/tar.js";
import { writeFolder } from "../release/bundle-files/write-folder.js";
import { replaceFile } from "../src/base/files.js";
import type { BundleId } from "../src/documents/primitives.js";
import { withHistory } from "../store/records/with-history.js";
import { exportApproved, type ExportedApproved } from "./export/export-approved.js";
import { type JudgeFiles, namesOf } from "./project/decision-judge.js";
import { readManifest } from "../release/read-manifest.js";
import { readRevocations } from "../release/read-revocations.js";
import { readTrust } from "../release/read-trust.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { verifyBundle } from "../src/trust/verify/verify-bundle.js";
import { SluiceError } from "../src/base/error.js";
import { requireStart } from "../src/router/start/start-checks.js";
import { readPacked } from "../release/bundle-files/read-packed.js";
import { saveSigned, type StoredSigned } from "../release/save-signed.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { ReproductionSource } from "../src/documents/choices.js";
import { utcSeconds } from "../src/base/text.js";
import { consulted, type ConsultedList } from "../release/release-status.js";
import { verifyStart } from "../release/verify-start.js";

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

/** What is unpacked, and where. */
export interface ImportReleaseOptions extends JudgeFiles {
  /** Archive or OCI layout of `exportRelease`. */
  readonly archive: string;
  /** Folder to create. */
  readonly directory: string;
}

/** A bundle that was unpacked, and its entry in the history. */
export interface ImportedRelease extends StoredSigned {
  readonly bundleId: string;
}

/**
 * Unpacks an archive or an OCI layout into a folder when it verifies, whole or not at all.
 *
 * @example await importRelease(workbench, { archive: "bundle.tar", directory: "/srv/bundle" });
 * @throws {SluiceError} FILE_NOT_FOUND, FILE_EXISTS; THRESHOLD_NOT_MET and the other codes of verifying
 */
export async function importRelease(
  workbench: WorkbenchContext,
  options: ImportReleaseOptions,
): Promise<ImportedRelease> {
  const { archive, directory, environment = "production" } = options;
  const question = {
    trustPolicyBytes: await readTrust(workbench, options.trustFile),
    revocationBytes: await readRevocations(workbench, namesOf(options)),
    environment,
    now: new Date(workbench.clock()),
  };
  const files = await readPacked(archive);
  if (files === null) {
    throw new SluiceError("FILE_NOT_FOUND", `${archive}: neither an archive nor an OCI layout`, {
      hint: "Check the path; a folder that bundle export --out wrote needs no import.",
    });
  }
  let bundleId = "";
  const check = async (staged: string): Promise<void> => {
    const verified = await verifyBundle({ directory: staged, ...question });
    requireStart(verified);
    bundleId = verified.bundleId;
  };
  await writeFolder({ files, directory, check });
  const bytes = importRecord(bundleId, environment, files);
  const document = { kind: "import", actor: workbench.actor, bytes } as const;
  return { bundleId, ...(await saveSigned(workbench, document, `${directory}: imported`)) };
}

/** Record of an import; importing the same bundle again gives the same record. */
function importRecord(bundleId: string, environment: string, files: ReadonlyMap<string, Uint8Array>): Buffer {
  const listed = [...files]
    .sort(([a], [b]) => comparePaths(a, b))
    .map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256Hex(bytes) }));
  return canonicalBytes({ schema_version: 1, bundle_id: bundleId, environment, files: listed });
}

/** Which bundle is verified, and who judges it. */
export interface VerifyReleaseOptions extends JudgeFiles {
  /** Folder, archive or OCI layout. Default: bundle/ of the workspace. */
  readonly bundle?: string | undefined;
}

/** A bundle that a server would serve; one that does not verify is an error. */
export interface VerifiedRelease {
  readonly directory: string;
  readonly bundle_id: string;
  readonly bundle_version: string;
  readonly producer: string;
  readonly environment: string;
  readonly approvals: readonly {
    readonly principal: string;
    readonly expires: string;
    /** What this person reproduced the claim from; null: nothing is stated. */
    readonly derived_from: ReproductionSource | null;
  }[];
  /** People who must approve, and approvers who still could. */
  readonly required: number;
  readonly can_sign: readonly string[];
  /** Decisions that do not count, and why. */
  readonly not_counted: readonly { readonly file: string; readonly code: string; readonly message: string }[];
  /** The revocation list that was consulted; null: none was. */
  readonly revocation_list: ConsultedList | null;
  /** First moment at which the same verification would fail. */
  readonly expires_at: string;
}

/**
 * Verifies a bundle offline: everything that a server checks before it serves it, models and golden decisions included.
 *
 * @example await verifyRelease(workbench, { bundle: "bundle.tar", trustFile: "trust.json" });
 * @throws {SluiceError} FILE_NOT_FOUND; THRESHOLD_NOT_MET and the other codes of verifying
 */
export async function verifyRelease(
  workbench: WorkbenchContext,
  options: VerifyReleaseOptions = {},
): Promise<VerifiedRelease> {
  const { bundle: directory = workbench.workspace.bundle, environment = "production" } = options;
  const { bundleId, manifest, approvals, approvalCount, question, expiresAt } = await verifyStart({
    directory,
    files: await readPacked(directory),
    trustPolicyBytes: await readTrust(workbench, options.trustFile),
    revocationBytes: await readRevocations(workbench, namesOf(options)),
    environment,
    now: new Date(workbench.clock()),
  });
  const derivedFrom = new Map(approvalCount.derived.map((approval) => [approval.principal, approval.derivedFrom]));
  return {
    directory,
    bundle_id: bundleId,
    bundle_version: manifest.bundle_version,
    producer: manifest.producer,
    environment,
    approvals: approvals.map(({ principal, expires }) => ({
      principal,
      expires: utcSeconds(expires.getTime()),
      derived_from: derivedFrom.get(principal) ?? null,
    })),
    required: approvalCount.required ?? 0,
    can_sign: approvalCount.canSign,
    not_counted: approvalCount.judged.flatMap(({ problem }) => (problem === null ? [] : [problem])),
    revocation_list: consulted(question.revocations),
    expires_at: utcSeconds(expiresAt.getTime()),
  };
}
