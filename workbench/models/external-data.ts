import { posix } from "node:path";
import { SluiceError } from "../../src/errors/error.js";
import type { GraphFiles } from "../../src/inference/protocol.js";
import { type ModelFiles, modelFile } from "../../src/retrieval/model-files.js";

type Message = "model" | "graph" | "node" | "attribute" | "tensor" | "function" | "external";

/** Which fields lead to tensors that keep their weights in a file. Field numbers: onnx.proto of the ONNX project. */
const paths: Readonly<Record<Message, Readonly<Record<number, Message>>>> = {
  model: { 7: "graph", 25: "function" },
  function: { 7: "node" },
  graph: { 1: "node", 5: "tensor" },
  node: { 5: "attribute" },
  attribute: { 5: "tensor", 6: "graph", 10: "tensor", 11: "graph" },
  tensor: { 13: "external" },
  external: {},
};

interface Field {
  readonly number: number;
  /** null for numbers, whose value is not needed. */
  readonly bytes: Uint8Array | null;
}

/**
 * Names of a graph's external weight files, as written in the graph, each once, in order of first use.
 * @throws {SluiceError} MODEL_INVALID  the bytes are not an ONNX model
 */
export function externalDataNames(graph: Uint8Array): readonly string[] {
  const names = new Set<string>();
  visit(graph, "model", names);
  return [...names];
}

/**
 * The graph of a model directory with the weight files that it names.
 * @throws {SluiceError} MODEL_INVALID  a file is missing, or lies outside the directory
 */
export function graphFiles(files: ModelFiles, path: string): GraphFiles {
  const bytes = modelFile(files, path, "model");
  const externalData = externalDataNames(bytes).map((name) => {
    const data = files.get(externalDataPath(path, name));
    if (data !== undefined) return { path: name, bytes: data };
    throw new SluiceError("MODEL_INVALID", `${path} stores weights in ${JSON.stringify(name)}, which is missing`, {
      hint: "Put the file next to the graph, with the name that the graph uses.",
    });
  });
  return { bytes, externalData };
}

/** A graph and its weight files as a description names them. @throws {SluiceError} MODEL_INVALID */
export function graphPaths(
  files: ModelFiles,
  graph: string,
): { readonly graph: string; readonly externalData: string[] } {
  const names = externalDataNames(modelFile(files, graph, "model"));
  return { graph, externalData: names.map((name) => externalDataPath(graph, name)) };
}

/** Path of a weight file in the model directory; the graph names it relative to its own folder. */
export function externalDataPath(graph: string, name: string): string {
  return posix.join(posix.dirname(graph), name);
}

function visit(bytes: Uint8Array, message: Message, names: Set<string>): void {
  const entry = new Map<number, Uint8Array>();
  for (const { number, bytes: content } of fieldsOf(bytes)) {
    if (content === null) continue;
    const inner = paths[message][number];
    if (inner !== undefined) visit(content, inner, names);
    else if (message === "external") entry.set(number, content);
  }
  if (message === "external" && text(entry.get(1)) === "location") names.add(text(entry.get(2)));
}

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("utf8");

/** The fields of a protocol buffer message, without decoding their content. */
function* fieldsOf(bytes: Uint8Array): Iterable<Field> {
  let offset = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[offset];
      if (byte === undefined || scale > 2 ** 63) throw malformed();
      offset += 1;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Uint8Array => {
    const end = offset + length;
    if (end > bytes.length) throw malformed();
    const content = bytes.subarray(offset, end);
    offset = end;
    return content;
  };
  while (offset < bytes.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    switch (key % 8) {
      case 0:
        varint();
        yield { number, bytes: null };
        break;
      case 1:
        take(8);
        yield { number, bytes: null };
        break;
      case 2:
        yield { number, bytes: take(varint()) };
        break;
      case 5:
        take(4);
        yield { number, bytes: null };
        break;
      default:
        throw malformed();
    }
  }
}

const malformed = (): SluiceError => new SluiceError("MODEL_INVALID", "the graph is not an ONNX model");
