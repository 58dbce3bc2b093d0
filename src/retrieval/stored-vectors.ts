import { sha256Hex } from "../digest/sha256.js";
import type { Workflow } from "../domain/catalog.js";
import type { RetrieverModel } from "../domain/model.js";
import { SluiceError } from "../errors/error.js";
import { SharedRows } from "../inference/shared-rows.js";
import { documentsOf } from "./catalog-texts.js";
import type { EncoderIdentity } from "./embedding-cache.js";
import type { EncodedTexts, OpenTransformer, TransformerEncoder } from "./text-encoder.js";

/** Version of the layout, as a manifest names it. */
export const storedVectorsVersion = "vectors-1";

const magic = Buffer.from("sluice-vectors-1", "latin1");
const digestBytes = 32;
/** Magic, rows and dimensions as uint32, digest of the encoder, digest of the texts. */
const headerBytes = magic.length + 8 + 2 * digestBytes;

/**
 * Vectors of a catalog's texts as bytes: a header that names the encoder and the texts by digest, then float32 values,
 * row by row; everything little-endian. A bundle keeps them, so that no start encodes its catalog again.
 */
export function vectorBytes(
  { model, identity }: Pick<OpenTransformer, "model" | "identity">,
  workflows: readonly Workflow[],
  { values }: SharedRows,
): Buffer {
  const bytes = Buffer.alloc(headerBytes + values.length * Float32Array.BYTES_PER_ELEMENT);
  headerOf(identity, model, workflows).copy(bytes);
  for (let place = 0; place < values.length; place += 1) bytes.writeFloatLE(values[place], headerBytes + 4 * place);
  return bytes;
}

/**
 * Reads what `vectorBytes` wrote for the same encoder and the same texts.
 * @throws {SluiceError} MODEL_INVALID when the bytes belong to something else, are cut or hold a value that is no number
 */
export function storedTexts(
  { model, encoder, identity }: OpenTransformer,
  workflows: readonly Workflow[],
  bytes: Buffer,
): EncodedTexts<TransformerEncoder> {
  const header = headerOf(identity, model, workflows);
  if (!bytes.subarray(0, magic.length).equals(magic)) throw refused("are no vectors of texts");
  if (!bytes.subarray(0, headerBytes).equals(header)) throw refused("belong to another encoder or to other texts");
  const vectors = SharedRows.ofSize(header.readUInt32LE(magic.length), header.readUInt32LE(magic.length + 4));
  const { values } = vectors;
  const size = headerBytes + values.byteLength;
  if (bytes.length !== size) throw refused(`have ${bytes.length} bytes, expected ${size}`);
  for (let place = 0; place < values.length; place += 1) {
    const value = bytes.readFloatLE(headerBytes + 4 * place);
    if (!Number.isFinite(value)) throw refused("hold a value that is no number");
    values[place] = value;
  }
  return { encoder, vectors };
}

/** Largest difference of a value between the vectors of the same texts; infinite where sizes or headers differ. */
export function largestDifference(stored: Buffer, other: Buffer): number {
  const sameHeader = stored.subarray(0, headerBytes).equals(other.subarray(0, headerBytes));
  if (stored.length !== other.length || !sameHeader) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (let at = headerBytes; at < stored.length; at += 4) {
    largest = Math.max(largest, Math.abs(stored.readFloatLE(at) - other.readFloatLE(at)));
  }
  return largest;
}

function headerOf(identity: EncoderIdentity, model: RetrieverModel, workflows: readonly Workflow[]): Buffer {
  const texts = documentsOf(model, workflows);
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32LE(texts.length, 0);
  sizes.writeUInt32LE(identity.dimensions, 4);
  const digests = [identity.sha256, sha256Hex(JSON.stringify(texts))].map((digest) => Buffer.from(digest, "hex"));
  return Buffer.concat([magic, sizes, ...digests]);
}

const refused = (found: string): SluiceError =>
  new SluiceError("MODEL_INVALID", `the stored vectors ${found}`, {
    hint: "Sign and export the bundle again: sluice manifest create, then sluice bundle export.",
  });
