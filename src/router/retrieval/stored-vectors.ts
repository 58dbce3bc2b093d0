import { endianness } from "node:os";
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Workflow } from "../../documents/catalog.js";
import type { RetrieverModel } from "../../documents/model.js";
import { SluiceError } from "../../base/error.js";
import { SharedRows } from "../../inference/shared-rows.js";
import { documentsOf } from "./catalog-texts.js";
import type { EncoderIdentity } from "./embedding-cache.js";
import { HybridRetriever } from "./hybrid-retriever.js";
import { comparableTexts } from "./similarity-index.js";
import { headBytes, readHeads, signAgain } from "./stored-heads.js";
import type { EncodedTexts, OpenTransformer, TransformerEncoder } from "./text-encoder.js";

/** Version of the file layout, as recorded in manifests. */
export const storedVectorsVersion = "vectors-1";

const magic = Buffer.from("sluice-vectors-1", "latin1");
const digestBytes = 32;
/** Number of workflows and of values read between two pauses, which takes a few milliseconds. */
const workflowsPerBlock = 128;
const valuesPerBlock = 2 ** 19;
/** Magic number, rows and dimensions as uint32, digest of the encoder, digest of the texts. */
const headerBytes = magic.length + 8 + 2 * digestBytes;

/**
 * Serializes the vectors of a catalog's texts: a header that identifies the encoder and the texts by digest, then
 * float32 values row by row, all little-endian. For a large catalog, its heads follow. Bundles contain this file, so
 * that no start has to encode the catalog or fit many heads.
 */
export async function vectorBytes(
  source: Pick<OpenTransformer, "model" | "identity">,
  workflows: readonly Workflow[],
  texts: EncodedTexts,
): Promise<Buffer> {
  const { model } = source;
  if (texts.vectors.rows <= comparableTexts) return vectorFile(source, workflows, texts.vectors);
  const { index } = await HybridRetriever.create({ model, encoded: { ...texts, heads: null } }, workflows);
  return vectorFile(source, workflows, texts.vectors, headBytes(model, index.heads));
}

/** The same for given heads. @param heads  as written by `headBytes` */
export async function vectorFile(
  { model, identity }: Pick<OpenTransformer, "model" | "identity">,
  workflows: readonly Workflow[],
  { values }: SharedRows,
  heads: Buffer = Buffer.alloc(0),
): Promise<Buffer> {
  const bytes = Buffer.from(bytesOf(values));
  swapOnBigEndian(bytes);
  return Buffer.concat([await headerOf(identity, model, workflows), bytes, heads]);
}

/**
 * Reads the output of `vectorBytes` for the same encoder and texts, in blocks, so that the thread stays responsive.
 * @throws {SluiceError} MODEL_INVALID if the bytes belong to another encoder or other texts, are truncated, or contain
 *   a value that is not finite
 */
export async function storedTexts(
  { model, encoder, identity }: OpenTransformer,
  workflows: readonly Workflow[],
  bytes: Buffer,
): Promise<EncodedTexts<TransformerEncoder>> {
  const header = await headerOf(identity, model, workflows);
  if (!bytes.subarray(0, magic.length).equals(magic)) throw refused("are no vectors of texts");
  if (!bytes.subarray(0, headerBytes).equals(header)) throw refused("belong to another encoder or to other texts");
  const vectors = SharedRows.ofSize(header.readUInt32LE(magic.length), header.readUInt32LE(magic.length + 4));
  const { values } = vectors;
  const size = headerBytes + values.byteLength;
  const heads =
    bytes.length > size && vectors.rows > comparableTexts
      ? await readHeads(model, vectors.rows, bytes.subarray(size), vectors.memory)
      : null;
  if (heads === null && bytes.length !== size) throw refused(`have ${bytes.length} bytes, expected ${size}`);
  for (let from = 0; from < values.length; from += valuesPerBlock) {
    const block = values.subarray(from, from + valuesPerBlock);
    const start = headerBytes + from * Float32Array.BYTES_PER_ELEMENT;
    bytesOf(block).set(bytes.subarray(start, start + block.byteLength));
    swapOnBigEndian(bytesOf(block));
    if (!allFinite(block)) throw refused("hold a non-finite number");
    await setImmediate();
  }
  return { encoder, vectors, heads };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** The file is little-endian, as are nearly all machines. */
function swapOnBigEndian(bytes: Buffer): void {
  if (endianness() === "BE") bytes.swap32();
}

/** Largest absolute difference between two vector files for the same texts; infinite if sizes or headers differ. */
export function largestDifference(stored: Buffer, other: Buffer): number {
  const sameHeader = stored.subarray(0, headerBytes).equals(other.subarray(0, headerBytes));
  if (stored.length !== other.length || !sameHeader) return Number.POSITIVE_INFINITY;
  let largest = 0;
  const end = startOfHeads(stored);
  for (let at = headerBytes; at < end; at += 4) {
    largest = Math.max(largest, Math.abs(stored.readFloatLE(at) - other.readFloatLE(at)));
  }
  return largest;
}

/** The heads after the stored vectors, as bytes; empty for a catalog whose heads are fitted at every start. */
export const headsBehind = (stored: Buffer): Buffer => stored.subarray(startOfHeads(stored));

const startOfHeads = (stored: Buffer): number =>
  headerBytes +
  Float32Array.BYTES_PER_ELEMENT * stored.readUInt32LE(magic.length) * stored.readUInt32LE(magic.length + 4);

/** The digest of the texts is computed from their list as JSON. */
async function headerOf(
  identity: EncoderIdentity,
  model: RetrieverModel,
  workflows: readonly Workflow[],
): Promise<Buffer> {
  const hash = createHash("sha256").update("[");
  let count = 0;
  for (let from = 0; from < workflows.length; from += workflowsPerBlock) {
    const texts = documentsOf(model, workflows.slice(from, from + workflowsPerBlock));
    hash.update(`${count === 0 ? "" : ","}${JSON.stringify(texts).slice(1, -1)}`);
    count += texts.length;
    await setImmediate();
  }
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32LE(count, 0);
  sizes.writeUInt32LE(identity.dimensions, 4);
  return Buffer.concat([magic, sizes, Buffer.from(identity.sha256, "hex"), hash.update("]").digest()]);
}

function allFinite(values: Float32Array): boolean {
  for (let i = 0; i < values.length; i += 1) if (!Number.isFinite(values[i])) return false;
  return true;
}

const refused = (found: string): SluiceError =>
  new SluiceError("MODEL_INVALID", `the stored vectors ${found}`, { hint: signAgain });
