import type { Static } from "../../src/base/typebox.js";
import type { PublicKey } from "../../src/trust/public-key.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { parseDocument } from "../../src/router/parse-document.js";
import { SluiceError } from "../../src/base/error.js";
import { readCheckpoint } from "../../store/history/checkpoint.js";
import { LeafBodySchema } from "../../store/history/entry.js";
import type { History } from "../../store/history/open.js";
import { readProofFile, writeProofFile } from "../../store/history/proof-file.js";
import { proveEntry } from "../../store/history/prove.js";
import { keptCheckpoints, requireHead } from "../../store/history/require-head.js";
import { requireSignature } from "./history-checkpoint.js";

/** The entry of a proof, from its leaf. */
export type ProvedEntry = Static<typeof LeafBodySchema>;

function lastCheckpoint(history: History): Buffer {
  const last = keptCheckpoints(history).at(-1);
  if (last !== undefined) return last.bytes;
  throw new SluiceError("RECORD_NOT_FOUND", "the history contains no checkpoint", {
    hint: "Sign one with: sluice history checkpoint --key NAME",
  });
}

/**
 * A proof file for an entry.
 * @param given  signed checkpoint; null for the latest one in the history
 * @throws {SluiceError} RECORD_NOT_FOUND, CHECKPOINT_INVALID, HISTORY_TRUNCATED, HISTORY_FORK
 */
export function proveWithCheckpoint(
  history: History,
  seq: number,
  given: Buffer | null,
): { readonly size: number; readonly bytes: Buffer } {
  const note = given ?? lastCheckpoint(history);
  const checkpoint = readCheckpoint(note, "checkpoint");
  requireHead(history, checkpoint, "the checkpoint");
  const bytes = writeProofFile(proveEntry(history, seq, checkpoint.size), note);
  readProofFile(bytes, "proof");
  return { size: checkpoint.size, bytes };
}

export interface ProofQuestion {
  readonly bytes: Buffer;
  readonly what: string;
  readonly key: PublicKey;
  /** The record that the entry must have; null for any. */
  readonly record: Buffer | null;
}

/**
 * Checks a proof file without any history: the path, the signature of its checkpoint, and the record.
 * @throws {SluiceError} PROOF_INVALID, CHECKPOINT_INVALID, SIGNATURE_INVALID, HASH_MISMATCH; SCHEMA_INVALID  the leaf is no entry
 */
export function checkProof({ bytes, what, key, record }: ProofQuestion): {
  readonly entry: ProvedEntry;
  readonly size: number;
} {
  const { proof, checkpoint } = readProofFile(bytes, what);
  requireSignature(checkpoint, key, `checkpoint of ${what}`);
  const entry = parseDocument(LeafBodySchema, proof.body, what);
  const found = record === null ? entry.record_sha256 : sha256Hex(record);
  if (found === entry.record_sha256) return { entry, size: checkpoint.size };
  throw new SluiceError(
    "HASH_MISMATCH",
    `the record has digest ${found}, expected ${entry.record_sha256} of the entry`,
    {
      hint: "Use the record exactly as it was stored, byte for byte.",
    },
  );
}
