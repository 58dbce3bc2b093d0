import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { exportBundle } from "../../release/bundle-files/export-bundle.js";
import type { Sha256 } from "../../src/base/sha256.js";
import type { BundleId } from "../../src/documents/primitives.js";
import { approvalPath, bundleFiles, bundleFolders, runEvidence } from "../../src/trust/bundle-layout.js";
import { verifyBundle } from "../../src/trust/verify/verify-bundle.js";
import type { WrittenFolder } from "../../release/bundle-files/write-folder.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { command, say, SluiceError, type Text } from "../../src/base/error.js";
import type { ErrorCode } from "../../src/base/error-codes.js";
import type { History } from "../../store/history/open.js";
import { getBlob } from "../../store/history/read.js";
import { evidenceOf } from "../reproduce/evidence-of.js";
import { requireStart } from "../../src/router/start/start-checks.js";
import { storedApprovals } from "../../release/stored-statements.js";
import type { StoredManifest } from "../../release/read-signed.js";
import { readCalibration, readRun } from "../../store/records/read-records.js";
import { saveRecord, type Session } from "../../store/records/session.js";
import { shortId } from "../../src/base/text.js";

export interface ExportApprovedOptions {
  readonly manifest: StoredManifest;
  readonly directory: string;
  readonly replace: boolean;
  /** Whether to include the scored records, so that the claim can be reproduced without the dataset. */
  readonly withRecords: boolean;
  /** Trust policy that the staged folder must satisfy before it is renamed. */
  readonly trustPolicyBytes: Uint8Array;
  /** Revocation list of the deployment, if any. */
  readonly revocationBytes: Uint8Array | null;
  readonly environment: string;
}

export interface ExportedApproved extends WrittenFolder {
  readonly files: number;
  readonly approvals: readonly string[];
}

/**
 * Writes everything that production needs of a bundle atomically into a folder. If verification fails, nothing is
 * written and an existing folder is unchanged.
 * @throws {SluiceError} as `exportBundle`, `verifyBundle`, `requireStart` and `carriedRecords`
 */
export async function exportApproved(session: Session, options: ExportApprovedOptions): Promise<ExportedApproved> {
  const { manifest, directory } = options;
  const approvals = approvalsOf(session.history, manifest.bundleId);
  const exported = await exportBundle({
    directory,
    manifestEnvelopeBytes: manifest.envelopeBytes,
    approvals,
    files: new Map([...filesOf(session.history, manifest), ...(await recordsOf(session.history, options))]),
    replace: options.replace,
    check: checkOf(options, new Date(session.context.clock())),
  });
  const record = canonicalBytes({ schema_version: 1, bundle_id: manifest.bundleId, files: exported.files });
  saveRecord(session, "export", record);
  const { restored, left_behind: leftBehind } = exported;
  return {
    restored,
    left_behind: leftBehind,
    files: exported.files.length,
    approvals: approvals.map(({ name }) => name),
  };
}

/** Checks the staged folder; messages refer to its destination. */
function checkOf(options: ExportApprovedOptions, now: Date) {
  const { trustPolicyBytes, revocationBytes, environment, manifest, directory } = options;
  return async (staged: string): Promise<void> => {
    const question = { trustPolicyBytes, revocationBytes, environment, now };
    try {
      requireStart(await verifyBundle({ directory: staged, ...question }));
    } catch (cause) {
      if (!(cause instanceof SluiceError)) throw cause;
      throw new SluiceError(cause.code, cause.message.replaceAll(staged, directory), {
        hint: exportHint(shortId(manifest.bundleId), cause.code),
        details: cause.details ?? {},
        cause,
      });
    }
  };
}

function exportHint(bundle: string, code: ErrorCode): Text {
  if (code === "REJECTED_BY_APPROVER")
    return say`Nothing was written. Read the reason: ${command`sluice manifest show --bundle ${bundle}`}. Then release a new bundle.`;
  if (code === "REVOKED")
    return say`Nothing was written. Release another bundle, or export an earlier one with --bundle: ${command`sluice history log --kind manifest`} lists them.`;
  const derive = code === "REPRODUCTION_MISSING" ? ["--reproduce"] : [];
  return say`Nothing was written. Approvers run: ${command`sluice approve --bundle ${bundle} --approver NAME --key FILE ${derive}`}`;
}

async function recordsOf(history: History, { withRecords, manifest }: ExportApprovedOptions) {
  if (!withRecords) return [];
  const { carriedRecords } = await import("../reproduce/carried-records.js");
  return carriedRecords(history, {
    run: readRun(history, evidenceOf(manifest, runEvidence)),
    calibration: readCalibration(history, manifest.predicate.calibration.sha256),
  });
}

function filesOf(history: History, { predicate }: StoredManifest): ReadonlyMap<string, Buffer> {
  const blob = (path: string, sha256: Sha256) => [path, getBlob(history, sha256)] as const;
  const model = (folder: string, { files }: { readonly files: readonly { path: string; sha256: Sha256 }[] }) =>
    files.map(({ path, sha256 }) => blob(`${folder}${path}`, sha256));
  return new Map([
    blob(bundleFiles.catalog, predicate.catalog.sha256),
    blob(bundleFiles.calibration, predicate.calibration.sha256),
    blob(bundleFiles.policy, predicate.policy.sha256),
    blob(bundleFiles.golden, predicate.golden.sha256),
    ...(predicate.vectors === null ? [] : [blob(bundleFiles.vectors, predicate.vectors.sha256)]),
    ...model(bundleFolders.retriever, predicate.retriever),
    ...model(bundleFolders.verifier, predicate.verifier),
    ...predicate.evidence.map(({ name, sha256 }) => blob(`${bundleFolders.evidence}${name}`, sha256)),
  ]);
}

/** Whether a folder of the bundle contains exactly the decisions of the history. */
export async function hasAllApprovals(history: History, bundleId: BundleId, directory: string): Promise<boolean> {
  const kept = approvalsOf(history, bundleId);
  const found = await readdir(join(directory, bundleFolders.approvals)).catch(() => []);
  if (found.length !== kept.length) return false;
  const files = kept.map(async ({ name, bytes }) => {
    const file = await readFile(join(directory, approvalPath(name))).catch(() => null);
    return file?.equals(bytes) === true;
  });
  return (await Promise.all(files)).every(Boolean);
}

/** Approvals and rejections of a bundle in history order; several by the same person are numbered. */
function approvalsOf(
  history: History,
  bundleId: BundleId,
): readonly { readonly name: string; readonly bytes: Buffer }[] {
  const found: { readonly name: string; readonly bytes: Buffer }[] = [];
  for (const { bytes, approval } of storedApprovals(history, bundleId)) {
    const name = approval.approver.replace(/[^A-Za-z0-9_-]/g, "-");
    const same = found.filter((other) => other.name === name || other.name.startsWith(`${name}.`)).length;
    found.push({ name: same === 0 ? name : `${name}.${same + 1}`, bytes });
  }
  return found;
}
