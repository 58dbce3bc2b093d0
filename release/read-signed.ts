import { maxEnvelopeBytes } from "../src/trust/statements.js";
import type { Sha256 } from "../src/base/sha256.js";
import { command, say, SluiceError } from "../src/base/error.js";
import type { History } from "../store/history/open.js";
import { listEntries } from "../store/history/read.js";
import { readRecord } from "../store/records/read-records.js";
import type { ManifestRecord } from "../store/records/record-readers.js";
import type { WorkbenchContext } from "../store/workbench-context.js";
import { readInput, readStoredFile, readStoredIfThere } from "../src/base/files.js";
import { revocationsNextTo } from "../src/trust/revocation-file.js";

/** A manifest in the history. Its signature has not been verified. */
export interface StoredManifest extends ManifestRecord {
  readonly sha256: Sha256;
  readonly envelopeBytes: Buffer;
}

/** Reads the manifest in a record. @param sha256  id of the record */
export function manifestOf(history: History, sha256: Sha256): StoredManifest {
  const { bytes: envelopeBytes, document } = readRecord(history, "manifest", sha256);
  return { sha256, envelopeBytes, ...document };
}

/**
 * @param bundle  bundle id or a prefix; undefined selects the latest manifest
 * @throws {SluiceError} RECORD_NOT_FOUND, RECORD_AMBIGUOUS
 */
export function readManifest(history: History, bundle?: string): StoredManifest {
  const entries = listEntries(history, { kind: "manifest" }).slice(bundle === undefined ? -1 : 0);
  const found = entries
    .map(({ sha256 }) => manifestOf(history, sha256))
    .filter(({ bundleId }) => bundle === undefined || bundleId.startsWith(bundle.toLowerCase()));
  const [only, ...others] = found;
  if (only === undefined) {
    const message = bundle === undefined ? "the history holds no manifest" : `no bundle "${bundle}" in the history`;
    throw new SluiceError("RECORD_NOT_FOUND", message, {
      hint: say`Sign one: ${command`sluice manifest create`}; in a project: ${command`sluice run --release`}`,
    });
  }
  if (others.length > 0) {
    throw new SluiceError("RECORD_AMBIGUOUS", `${found.length} bundles begin with "${bundle}"`, {
      hint: "Give more digits of the bundle id.",
    });
  }
  return only;
}

/**
 * Bytes of the trust policy that the caller named, otherwise of the workspace's.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED
 */
export async function readTrust(
  context: Pick<WorkbenchContext, "workspace">,
  file: string | undefined,
): Promise<Buffer> {
  if (file !== undefined) return readInput(file);
  return readStoredFile(context.workspace.trust, { followLinks: true }).catch((cause: unknown) => {
    if (!(cause instanceof SluiceError) || cause.code !== "FILE_NOT_FOUND") throw cause;
    throw new SluiceError("FILE_NOT_FOUND", `${context.workspace.trust}: no trust policy found here`, {
      hint: say`In a project: ${command`sluice run --release`}. Otherwise: ${command`sluice trust create`}, or name one with --trust FILE.`,
      cause,
    });
  });
}

export interface JudgeFiles {
  /** Trust policy. Default: trust.json of the workspace. */
  readonly trust?: string | undefined;
  /** Revocation list. Default: revocations.json next to the trust policy, if it exists. */
  readonly revocations?: string | undefined;
  /** Environment of the decisions. Default "production". */
  readonly environment?: string | undefined;
}

/** Path of the revocation list: the one that the caller named, otherwise the one next to the trust policy. */
export const revocationsPath = ({ workspace }: Pick<WorkbenchContext, "workspace">, files: JudgeFiles): string =>
  files.revocations ?? revocationsNextTo(files.trust ?? workspace.trust);

/**
 * Bytes of that list; null if the caller named none and there is none next to the trust policy.
 * @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED
 */
export async function readRevocations(
  context: Pick<WorkbenchContext, "workspace">,
  files: JudgeFiles,
): Promise<Buffer | null> {
  const file = revocationsPath(context, files);
  return files.revocations === undefined
    ? readStoredIfThere(file, { maxBytes: maxEnvelopeBytes, followLinks: true })
    : readInput(file);
}

/** Trust policy and revocation list. @throws {SluiceError} FILE_NOT_FOUND, READ_FAILED */
export const readJudge = async (context: Pick<WorkbenchContext, "workspace">, files: JudgeFiles) => ({
  trustPolicyBytes: await readTrust(context, files.trust),
  revocationBytes: await readRevocations(context, files),
});
