import { setImmediate } from "node:timers/promises";
import type { GraphFiles, ModelSpec } from "./protocol.js";

/** Bytes that are copied between two pauses: some milliseconds. */
const bytesPerBlock = 4 * 1024 ** 2;

/** The same model with its bytes in memory that threads share: sent to each of them without a copy. */
export async function withSharedBytes(spec: ModelSpec): Promise<ModelSpec> {
  switch (spec.kind) {
    case "graph":
      return { ...spec, graph: await sharedGraph(spec.graph) };
    case "encoder":
    case "pair_scorer":
      return { ...spec, graph: await sharedGraph(spec.graph), tokenizer: await shared(spec.tokenizer) };
    case "scorer":
      return {
        ...spec,
        retrieverFiles: await sharedFiles(spec.retrieverFiles),
        verifierFiles: await sharedFiles(spec.verifierFiles),
      };
  }
}

async function sharedGraph({ bytes, externalData }: GraphFiles): Promise<GraphFiles> {
  const files: { readonly path: string; readonly bytes: Uint8Array }[] = [];
  for (const file of externalData) files.push({ path: file.path, bytes: await shared(file.bytes) });
  return { bytes: await shared(bytes), externalData: files };
}

async function sharedFiles(files: ReadonlyMap<string, Uint8Array>): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (const [path, bytes] of files) found.set(path, await shared(bytes));
  return found;
}

async function shared(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  for (let from = 0; from < bytes.length; from += bytesPerBlock) {
    copy.set(bytes.subarray(from, from + bytesPerBlock), from);
    await setImmediate();
  }
  return copy;
}

/** The bytes in memory of this thread alone, as ONNX Runtime takes them. */
export const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.buffer instanceof SharedArrayBuffer ? Uint8Array.from(bytes) : bytes;
