import { SluiceError } from "../../src/base/error.js";
import { readCheckpoint, type SignedCheckpoint } from "./checkpoint.js";
import { leafHash } from "./merkle.js";
import type { EntryProof } from "./prove.js";
import { verifyInclusion } from "./verify-proofs.js";

const firstLine = "c2sp.org/tlog-proof@v1";
/**
 * Maximum size of a proof file in bytes; suffices for one hash per level of a tree of 2^53 leaves, and a long entry.
 */
const maxProofBytes = 1_048_576;

/** Content of a proof file: an inclusion proof for an entry, and its checkpoint. */
export interface ProofFile {
  readonly proof: EntryProof;
  readonly checkpoint: SignedCheckpoint;
}

/**
 * Writes a self-contained proof (C2SP tlog-proof): the `extra` line contains the entry, authenticated by its leaf hash.
 * @param checkpointBytes  signed checkpoint over at least this entry, unchanged
 */
export function writeProofFile({ body, index, path }: EntryProof, checkpointBytes: Uint8Array): Buffer {
  const hashes = path.map((hash) => Buffer.from(hash).toString("base64"));
  const head = [firstLine, `extra ${body.toString("base64")}`, `index ${index}`, ...hashes, "", ""].join("\n");
  return Buffer.concat([Buffer.from(head), checkpointBytes]);
}

function invalid(what: string, found: string): SluiceError {
  return new SluiceError("PROOF_INVALID", `${what}: ${found}`, {
    hint: "Request the proof again: sluice history prove ENTRY",
  });
}

function base64(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) throw invalid(what, "a line is not canonical base64");
  return bytes;
}

/**
 * Reads a proof file and checks the proof against the root of its checkpoint. The checkpoint's signature is not
 * verified here, and the proof is meaningless until it is.
 * @throws {SluiceError} PROOF_INVALID, NOT_CANONICAL
 */
export function readProofFile(bytes: Buffer, what: string): ProofFile {
  if (bytes.length > maxProofBytes) throw invalid(what, `${bytes.length} bytes, at most ${maxProofBytes} are read`);
  const end = bytes.indexOf("\n\n");
  const [first, extra, index, ...hashes] = bytes.subarray(0, end).toString("latin1").split("\n");
  const [, encodedBody] = /^extra ([A-Za-z0-9+/]+=*)$/.exec(extra ?? "") ?? [];
  const [, digits] = /^index (0|[1-9]\d{0,15})$/.exec(index ?? "") ?? [];
  if (end < 0 || first !== firstLine || encodedBody === undefined || digits === undefined) {
    throw invalid(what, `is not "${firstLine}", an extra line, an index line, hashes, an empty line and a checkpoint`);
  }
  const checkpoint = readCheckpoint(bytes.subarray(end + 2), `checkpoint of ${what}`);
  const body = base64(encodedBody, what);
  const path = hashes.map((line) => base64(line, what));
  const proof = { body, leaf: leafHash(body), index: Number(digits), path };
  if (verifyInclusion(proof, checkpoint)) return { proof, checkpoint };
  throw invalid(what, "does not lead from its entry to the root of its checkpoint");
}
