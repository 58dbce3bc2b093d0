import { createHash } from "node:crypto";
import { SluiceError } from "../../src/base/error.js";
import type { TreeHead } from "./tree.js";

/** Origin, size and root of a history, in C2SP tlog-checkpoint form without extension lines. */
export interface Checkpoint extends TreeHead {
  /** Name of the history, which is also the name of its key. */
  readonly origin: string;
}

export interface NoteSignature {
  readonly name: string;
  /** First 4 bytes of a digest over name and key. */
  readonly keyHash: Buffer;
  readonly signature: Buffer;
}

/** A checkpoint with its signatures (C2SP signed-note), which are not verified. */
export interface SignedCheckpoint extends Checkpoint {
  /** The signed bytes. */
  readonly text: Buffer;
  readonly signatures: readonly NoteSignature[];
}

const originPrefix = "sluice.dev/history/";
const keyHashBytes = 4;
const signatureBytes = 64;
const rootBytes = 32;
/** Algorithm byte of Ed25519 in C2SP signed-note. */
const ed25519 = Buffer.from([1]);
const maxNoteBytes = 65_536;

/** Name of the history that begins with this entry. @param firstLeaf  leaf hash of entry 1 */
export function originOf(firstLeaf: Uint8Array): string {
  return `${originPrefix}${Buffer.from(firstLeaf).toString("hex")}`;
}

/** The signed text: origin, size and base64 of the root, one per line. */
export function checkpointText({ origin, size, root }: Checkpoint): Buffer {
  return Buffer.from(`${origin}\n${size}\n${root.toString("base64")}\n`);
}

/** Key id of C2SP signed-note: the first 4 bytes of SHA-256(name || newline || 0x01 || raw public key). */
export function noteKeyHash(name: string, rawPublicKey: Uint8Array): Buffer {
  const digest = createHash("sha256").update(`${name}\n`).update(ed25519).update(rawPublicKey).digest();
  return digest.subarray(0, keyHashBytes);
}

/** File with a checkpoint and one signature. @param signature  Ed25519, 64 bytes, over `checkpointText` */
export function signedNote(checkpoint: Checkpoint, rawPublicKey: Uint8Array, signature: Uint8Array): Buffer {
  const { origin } = checkpoint;
  const blob = Buffer.concat([noteKeyHash(origin, rawPublicKey), signature]).toString("base64");
  return Buffer.concat([checkpointText(checkpoint), Buffer.from(`\n— ${origin} ${blob}\n`)]);
}

function invalid(what: string, found: string): SluiceError {
  return new SluiceError("NOT_CANONICAL", `${what}: ${found}`, {
    hint: "Copy the checkpoint again, byte for byte.",
  });
}

/** Bytes of canonical, padded base64; undefined for anything else. */
function strictBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

function readSignature(line: string, what: string): NoteSignature {
  const [, name, blob] = /^— ([^ +]+) ([A-Za-z0-9+/]+=*)$/.exec(line) ?? [];
  const bytes = blob === undefined ? undefined : strictBase64(blob);
  if (name === undefined || bytes === undefined || bytes.length <= keyHashBytes) {
    throw invalid(what, "a signature line is not an em dash, a name and base64");
  }
  return { name, keyHash: bytes.subarray(0, keyHashBytes), signature: bytes.subarray(keyHashBytes) };
}

function decodeText(bytes: Uint8Array, what: string): string {
  if (bytes.length > maxNoteBytes)
    throw invalid(what, `${bytes.length} bytes, a checkpoint has at most ${maxNoteBytes}`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalid(what, "is not UTF-8");
  }
}

/**
 * Reads a signed checkpoint. Signatures of unknown keys are preserved, as signed-note requires; extension lines are
 * refused.
 * @param what  name of the checkpoint in messages
 * @throws {SluiceError} NOT_CANONICAL
 */
export function readCheckpoint(bytes: Uint8Array, what: string): SignedCheckpoint {
  const note = decodeText(bytes, what);
  const [, origin, digits, encodedRoot, lines] = /^([^\n]+)\n([^\n]*)\n([^\n]*)\n\n((?:[^\n]+\n)+)$/.exec(note) ?? [];
  if (origin === undefined || lines === undefined) {
    throw invalid(what, "is not three lines, an empty line and signature lines");
  }
  const size = /^(0|[1-9]\d{0,15})$/.test(digits ?? "") ? Number(digits) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw invalid(what, "its second line is not a size");
  const root = strictBase64(encodedRoot ?? "");
  if (root?.length !== rootBytes) throw invalid(what, "its third line is not a root in base64");
  const signatures = lines
    .trimEnd()
    .split("\n")
    .map((line) => readSignature(line, what));
  return { origin, size, root, text: checkpointText({ origin, size, root }), signatures };
}

/** The signature by a key; undefined if there is none. */
export function signatureOf(checkpoint: SignedCheckpoint, rawPublicKey: Uint8Array): Buffer | undefined {
  const keyHash = noteKeyHash(checkpoint.origin, rawPublicKey);
  return checkpoint.signatures.find(
    (made) =>
      made.name === checkpoint.origin && made.keyHash.equals(keyHash) && made.signature.length === signatureBytes,
  )?.signature;
}
