import type { GraphFiles, ModelSpec } from "./protocol.js";

/** Moves the bytes of a model into shared memory, so that they can be sent to each thread without copying. */
export function withSharedBytes(spec: ModelSpec): ModelSpec {
  switch (spec.kind) {
    case "graph":
      return { ...spec, graph: sharedGraph(spec.graph) };
    case "encoder":
    case "pair_scorer":
      return { ...spec, graph: sharedGraph(spec.graph), tokenizer: shared(spec.tokenizer) };
    case "scorer":
      return {
        ...spec,
        retrieverFiles: sharedFiles(spec.retrieverFiles),
        verifierFiles: sharedFiles(spec.verifierFiles),
      };
  }
}

function sharedGraph({ bytes, externalData }: GraphFiles): GraphFiles {
  const files = externalData.map((file) => ({ path: file.path, bytes: shared(file.bytes) }));
  return { bytes: shared(bytes), externalData: files };
}

function sharedFiles(files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  return new Map([...files].map(([path, bytes]) => [path, shared(bytes)]));
}

function shared(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** The bytes in unshared memory, as ONNX Runtime requires. */
export const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.buffer instanceof SharedArrayBuffer ? Uint8Array.from(bytes) : bytes;
