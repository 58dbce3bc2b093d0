import { backupHistory } from "../../store/history/backup.js";
import { openHistory } from "../../store/history/open.js";
import type { VerifiedHistory } from "../../store/history/verify.js";
import { readPublicKey, verifyAgainst, verifyWhole } from "./history-checkpoint.js";
import { readInput } from "../../src/base/files.js";
import { withHistory } from "../../store/records/with-history.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { createWorkspace } from "../../store/workspace.js";

/** Checkpoints from outside, which a history must contain. */
export interface OutsideCheckpoints {
  /** Files. */
  readonly checkpoints?: readonly string[];
  /** Public key file that must have signed each of them. Default: signatures are not checked. */
  readonly publicKey?: string | undefined;
}

/** A history whose every byte agrees with its digests. */
export interface VerifiedWorkspace extends VerifiedHistory {
  readonly path: string;
  readonly checkpoints: readonly { readonly file: string; readonly size: number; readonly signed_by: string | null }[];
}

/**
 * Checks every byte of the history of the workspace, and that it contains the given checkpoints.
 *
 * @example await verifyWorkspace(workbench, { checkpoints: ["2026-03-01.checkpoint"], publicKey: "audit.pub.pem" });
 * @throws {SluiceError} HISTORY_CORRUPT and the other codes of `verifyHistory`; SIGNATURE_INVALID, PROOF_INVALID
 */
export async function verifyWorkspace(
  workbench: WorkbenchContext,
  outside: OutsideCheckpoints = {},
): Promise<VerifiedWorkspace> {
  const { key, files } = await readOutside(outside);
  return withHistory(workbench, "read", async ({ history }) => {
    const verified = verifyWhole(history);
    const checkpoints = files.map(({ file, bytes }) => {
      const { size } = verifyAgainst(history, bytes, file, key);
      return { file, size, signed_by: key === null ? null : key.keyId };
    });
    return { ...verified, path: history.path, checkpoints };
  });
}

/**
 * Verifies a backup and copies it into a workspace that has no history.
 *
 * @throws {SluiceError} FILE_EXISTS, and the codes of `verifyWorkspace`
 */
export async function restoreWorkspace(
  { workspace }: WorkbenchContext,
  backup: string,
  outside: OutsideCheckpoints = {},
): Promise<VerifiedHistory> {
  const { key, files } = await readOutside(outside);
  const history = openHistory(backup, { readOnly: true });
  try {
    verifyWhole(history);
    for (const { file, bytes } of files) verifyAgainst(history, bytes, file, key);
    await createWorkspace(workspace);
    return await backupHistory(history, workspace.history);
  } finally {
    history.close();
  }
}

/** Reads checkpoints and the key that signed them. */
export async function readOutside({ checkpoints = [], publicKey }: OutsideCheckpoints) {
  const key = publicKey === undefined ? null : await readPublicKey(publicKey);
  return { key, files: await Promise.all(checkpoints.map(async (file) => ({ file, bytes: await readInput(file) }))) };
}
