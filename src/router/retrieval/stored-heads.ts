import { setImmediate } from "node:timers/promises";
import { canonicalJson } from "../../base/canonical-json.js";
import { sha256Hex } from "../../base/sha256.js";
import type { RetrieverModel } from "../../documents/model.js";
import { command, say, SluiceError } from "../../base/error.js";
import type { SharedMemory } from "../../inference/shared-memory.js";
import type { Heads, HeadWeights } from "./head.js";

/** Hint for a stored index that does not match. */
export const signAgain = say`Sign and export the bundle again: ${command`sluice manifest create`}, then ${command`sluice bundle export`}.`;

const digestBytes = 32;
const wordBytes = 4;
/** Number of values read between two pauses, which takes a few milliseconds. */
const valuesPerBlock = 2 ** 16;

/**
 * Serializes heads: the digest of the settings they depend on; then, for each head, the numbers of starts and of
 * weights, the starts, the texts and the weights. 32-bit words, little-endian.
 */
export function headBytes(model: RetrieverModel, { mixed, encoder, lexical }: Heads): Buffer {
  return Buffer.concat([settingsDigest(model), ...[mixed, encoder, lexical].map(bytesOfHead)]);
}

function bytesOfHead({ starts, texts, weights }: HeadWeights): Buffer {
  const bytes = Buffer.alloc(wordBytes * (2 + starts.length + 2 * weights.length));
  let at = bytes.writeUInt32LE(starts.length, 0);
  at = bytes.writeUInt32LE(weights.length, at);
  for (const start of starts) at = bytes.writeInt32LE(start, at);
  for (const text of texts) at = bytes.writeInt32LE(text, at);
  for (const weight of weights) at = bytes.writeFloatLE(weight, at);
  return bytes;
}

/**
 * Reads what `headBytes` wrote for the same settings.
 * @param texts  number of texts in the catalog
 * @param memory  memory in which the lists are allocated
 * @throws {SluiceError} MODEL_INVALID if the bytes belong to other settings, are truncated, or refer to a text that
 *   does not exist
 */
export async function readHeads(
  model: RetrieverModel,
  texts: number,
  bytes: Buffer,
  memory: SharedMemory,
): Promise<Heads> {
  if (!bytes.subarray(0, digestBytes).equals(settingsDigest(model))) throw refused("belong to other settings");
  const reader = new HeadReader(bytes, texts, memory);
  const [mixed, encoder, lexical] = [await reader.head(), await reader.head(), await reader.head()];
  reader.requireEnd();
  return { mixed, encoder, lexical };
}

class HeadReader {
  private readonly bytes: Buffer;
  private readonly textCount: number;
  private readonly memory: SharedMemory;
  private at = digestBytes;

  constructor(bytes: Buffer, textCount: number, memory: SharedMemory) {
    this.bytes = bytes;
    this.textCount = textCount;
    this.memory = memory;
  }

  async head(): Promise<HeadWeights> {
    const [startCount, weightCount] = [this.size(), this.size()];
    this.requireWords(startCount + 2 * weightCount);
    const starts = this.memory.int32(startCount);
    await this.fill(starts, (i) => starts[i] >= (i === 0 ? 0 : starts[i - 1]) && starts[i] <= weightCount);
    const texts = this.memory.int32(weightCount);
    await this.fill(texts, (i) => texts[i] >= 0 && texts[i] < this.textCount);
    const weights = this.memory.float32(weightCount);
    await this.fill(weights, (i) => Number.isFinite(weights[i]));
    return { starts, texts, weights };
  }

  requireEnd(): void {
    if (this.at !== this.bytes.length) throw refused(`have ${this.bytes.length - this.at} bytes too many`);
  }

  private size(): number {
    this.requireWords(1);
    return this.bytes.readUInt32LE(this.next());
  }

  /** @param holds whether the value at a position is valid in a head */
  private async fill(values: Int32Array | Float32Array, holds: (position: number) => boolean): Promise<void> {
    const read = values instanceof Int32Array ? "readInt32LE" : "readFloatLE";
    for (let i = 0; i < values.length; i += 1) {
      values[i] = this.bytes[read](this.next());
      if (!holds(i)) throw refused("hold a value that is none of a head");
      if (i % valuesPerBlock === valuesPerBlock - 1) await setImmediate();
    }
  }

  private requireWords(count: number): void {
    if (this.at + wordBytes * count > this.bytes.length) throw refused("are cut");
  }

  private next(): number {
    this.at += wordBytes;
    return this.at - wordBytes;
  }
}

/** The header of the file identifies texts and vectors, so this digest excludes them. */
const settingsDigest = ({ similarity, head }: RetrieverModel): Buffer =>
  Buffer.from(sha256Hex(canonicalJson({ similarity, head })), "hex");

const refused = (found: string): SluiceError =>
  new SluiceError("MODEL_INVALID", `the stored heads ${found}`, { hint: signAgain });
