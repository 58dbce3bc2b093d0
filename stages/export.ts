import { type OptionsOf, resolveOptions } from "../src/base/options.js";
import { exportOptions, importBundleOptions, verifyOptions } from "./options/release.js";
import { comparePaths, readDirectory } from "../src/trust/directory-hash.js";
import { readTarFile, writeTar } from "../release/bundle-files/tar.js";
import { writeFolder } from "../release/bundle-files/write-folder.js";
import { pathExists, replaceFile } from "../src/base/files.js";
import { withHistory } from "../store/records/session.js";
import { exportApproved, type ExportedApproved } from "./export/export-approved.js";
import { readJudge, readManifest } from "../release/read-signed.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { requireInPlace } from "../src/trust/left-behind.js";
import type { Expiring } from "../src/trust/verify/verify-signed.js";
import { verifyBundle } from "../src/trust/verify/verify-bundle.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { requireStart } from "../src/router/start/start-checks.js";
import { saveSigned, type StoredSigned } from "../release/save-signed.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { ReproductionSource } from "../src/documents/choices.js";
import { utcSeconds } from "../src/base/text.js";
import { consulted, type ConsultedList } from "../release/release-status.js";
import { verifyStart } from "../release/verify-start.js";

export type ExportReleaseOptions = OptionsOf<typeof exportOptions>;

export interface ExportedRelease extends ExportedApproved {
  readonly directory: string;
  readonly bundle_id: string;
  readonly bundle_version: string;
  readonly environment: string;
}

/**
 * Writes an approved bundle atomically into a folder for a production server. A bundle that fails verification is not
 * written.
 *
 * @example const { directory } = await exportRelease(workbench, { replace: true });
 * @throws {SluiceError} THRESHOLD_NOT_MET  and the other verification errors; FILE_EXISTS, WRITE_FAILED,
 *   FILE_NOT_FOUND, RECORDS_HOLD_TEXT, NOT_REPRODUCIBLE (`withRecords`)
 */
export async function exportRelease(
  workbench: WorkbenchContext,
  options: ExportReleaseOptions = {},
): Promise<ExportedRelease> {
  const given = resolveOptions("exportRelease", exportOptions, options);
  const { environment, replace, withRecords, out: directory = workbench.workspace.bundle } = given;
  const files = await readJudge(workbench, given);
  return withHistory(workbench, "write", async (session) => {
    const manifest = readManifest(session.history, given.bundle);
    const judge = { ...files, environment };
    const exported = await exportApproved(session, { manifest, directory, replace, withRecords, ...judge });
    if (given.tar !== undefined) {
      await replaceFile(given.tar, writeTar((await readDirectory(directory)).files), 0o644);
    }
    const { bundleId, predicate } = manifest;
    return { ...exported, directory, bundle_id: bundleId, bundle_version: predicate.bundle_version, environment };
  });
}

export type ImportReleaseOptions = OptionsOf<typeof importBundleOptions>;

/** An imported bundle, and its entry in the history. */
export interface ImportedRelease extends StoredSigned {
  readonly directory: string;
  readonly environment: string;
  readonly bundle_id: string;
}

/**
 * Verifies an archive and unpacks it atomically into a folder.
 *
 * @example await importRelease(workbench, { archive: "bundle.tar", out: "/srv/bundle" });
 * @throws {SluiceError} FILE_NOT_FOUND, FILE_EXISTS; THRESHOLD_NOT_MET and the other verification errors
 */
export async function importRelease(
  workbench: WorkbenchContext,
  options: ImportReleaseOptions,
): Promise<ImportedRelease> {
  const given = resolveOptions("importRelease", importBundleOptions, options);
  const { archive, out: directory, environment } = given;
  const question = {
    ...(await readJudge(workbench, given)),
    environment,
    now: new Date(workbench.clock()),
  };
  const files = await readTarFile(archive);
  if (files === null) {
    throw new SluiceError("FILE_NOT_FOUND", `${archive}: not an archive`, {
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
  return {
    directory,
    bundle_id: bundleId,
    environment,
    ...(await saveSigned(workbench, document, `${directory}: imported`)),
  };
}

/** Record of an import; importing the same bundle again gives the same record. */
function importRecord(bundleId: string, environment: string, files: ReadonlyMap<string, Uint8Array>): Buffer {
  const listed = [...files]
    .sort(([a], [b]) => comparePaths(a, b))
    .map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256Hex(bytes) }));
  return canonicalBytes({ schema_version: 1, bundle_id: bundleId, environment, files: listed });
}

export type VerifyReleaseOptions = OptionsOf<typeof verifyOptions>;

/** A verified bundle, which a server would accept. */
export interface VerifiedRelease {
  readonly directory: string;
  readonly bundle_id: string;
  readonly bundle_version: string;
  readonly producer: string;
  readonly environment: string;
  readonly approvals: readonly {
    readonly principal: string;
    readonly expires: string;
    /** Source from which this person reproduced the claim; null: not stated. */
    readonly derived_from: ReproductionSource | null;
  }[];
  /** Number of required approvals, and the approvers who can still approve. */
  readonly required: number;
  readonly can_sign: readonly string[];
  /** Decisions that do not count, with the reason. */
  readonly not_counted: readonly { readonly file: string; readonly code: string; readonly message: string }[];
  /** The consulted revocation list; null: none. */
  readonly revocation_list: ConsultedList | null;
  /** Time from which the same verification would fail. */
  readonly expires_at: string;
  /** What expires then. */
  readonly expires_first: Expiring;
}

/**
 * Verifies a bundle offline with all checks that a server makes before serving, including models and golden decisions.
 *
 * @example await verifyRelease(workbench, { directory: "bundle.tar", trust: "trust.json" });
 * @throws {SluiceError} FILE_NOT_FOUND; THRESHOLD_NOT_MET and the other verification errors
 */
export async function verifyRelease(
  workbench: WorkbenchContext,
  options: VerifyReleaseOptions = {},
): Promise<VerifiedRelease> {
  const given = resolveOptions("verifyRelease", verifyOptions, options);
  const { directory = workbench.workspace.bundle, environment } = given;
  await requireInPlace(directory);
  if (!(await pathExists(directory))) {
    throw new SluiceError("FILE_NOT_FOUND", `${directory}: no such folder or file`, {
      hint: say`Write the bundle with: ${command`sluice bundle export`}`,
    });
  }
  const { bundleId, manifest, approvals, question, end } = await verifyStart({
    directory,
    files: await readTarFile(directory),
    ...(await readJudge(workbench, given)),
    environment,
    now: new Date(workbench.clock()),
  });
  const derivedFrom = new Map(approvals.derived.map(({ approver, reproduction }) => [approver, reproduction?.from]));
  return {
    directory,
    bundle_id: bundleId,
    bundle_version: manifest.bundle_version,
    producer: manifest.producer,
    environment,
    approvals: approvals.counted.map(({ approver, expires }) => ({
      principal: approver,
      expires,
      derived_from: derivedFrom.get(approver) ?? null,
    })),
    required: approvals.required ?? 0,
    can_sign: approvals.canSign,
    not_counted: approvals.notCounted,
    revocation_list: consulted(question.revocations),
    expires_at: utcSeconds(end.at),
    expires_first: end.of,
  };
}
