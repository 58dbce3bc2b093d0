import { type PublicKey, verifiesSignature } from "../../src/trust/public-key.js";
import type { Signer } from "../../release/signing/sign-statement.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import {
  type Checkpoint,
  checkpointText,
  readCheckpoint,
  signatureOf,
  type SignedCheckpoint,
  signedNote,
} from "../../store/history/checkpoint.js";
import type { History } from "../../store/history/open.js";
import { historyOrigin, requireHead, requireKeptHeads } from "../../store/history/require-head.js";
import { treeHead } from "../../store/history/tree.js";
import { type VerifiedHistory, verifyHistory } from "../../store/history/verify.js";
import { saveRecord, type Session } from "../../store/records/session.js";

/** @throws {SluiceError} SIGNATURE_INVALID  the key did not sign the checkpoint */
export function requireSignature(checkpoint: SignedCheckpoint, key: PublicKey, what: string): void {
  const signature = signatureOf(checkpoint, key.raw);
  if (signature !== undefined && verifiesSignature(key, checkpoint.text, signature)) return;
  const found = signature === undefined ? "carries no signature" : "does not match the signature";
  throw new SluiceError("SIGNATURE_INVALID", `${what}: ${found} of key ${key.keyId}`, {
    hint: say`Compare the key id with the key of the checkpoint signer: ${command`sluice key show FILE`}`,
  });
}

/** Verifies the whole history: its content, and every checkpoint stored in it. */
export function verifyWhole(history: History): VerifiedHistory {
  const verified = verifyHistory(history);
  requireKeptHeads(history);
  return verified;
}

/** Checks a verified history against an external checkpoint, and the signature of the checkpoint if a key is given. */
export function verifyAgainst(history: History, bytes: Buffer, what: string, key: PublicKey | null): SignedCheckpoint {
  const checkpoint = readCheckpoint(bytes, what);
  if (key !== null) requireSignature(checkpoint, key, what);
  requireHead(history, checkpoint, what);
  return checkpoint;
}

/**
 * The next checkpoint: size and root of the verified history. @throws {SluiceError} RECORD_NOT_FOUND  the history is
 * empty
 */
function presentHead(history: History): Checkpoint {
  const { entries } = verifyWhole(history);
  const origin = historyOrigin(history);
  if (origin !== undefined) return { origin, ...treeHead(history, entries) };
  throw new SluiceError("RECORD_NOT_FOUND", "the history is empty, so there is nothing to sign", {
    hint: say`Begin with: ${command`sluice dataset import FILE --format FORMAT --catalog CATALOG`}`,
  });
}

/** A signed checkpoint before it is stored. */
export interface MadeCheckpoint {
  readonly head: Checkpoint;
  readonly bytes: Buffer;
}

/**
 * Verifies the history and signs its current size and root. @throws {SluiceError} as `verifyHistory`, and the errors of
 * signing
 */
export async function makeCheckpoint(history: History, signer: Signer): Promise<MadeCheckpoint> {
  const head = presentHead(history);
  const bytes = signedNote(head, signer.publicKey.raw, await signer.sign(checkpointText(head)));
  requireSignature(readCheckpoint(bytes, "checkpoint"), signer.publicKey, "checkpoint");
  return { head, bytes };
}

/** Stores a checkpoint as an entry, which records who signed it and when. */
export function keepCheckpoint(session: Session, { bytes }: MadeCheckpoint): number {
  return saveRecord(session, "checkpoint", bytes).seq;
}
