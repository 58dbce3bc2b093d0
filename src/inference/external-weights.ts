import { SluiceError } from "../base/error.js";
import { fieldsOf } from "./protobuf.js";

/**
 * Messages of onnx-ml.proto that can contain a tensor, directly or nested; `location` is the entry that names a file.
 */
export type OnnxMessage =
  | "ModelProto"
  | "TrainingInfoProto"
  | "FunctionProto"
  | "GraphProto"
  | "NodeProto"
  | "AttributeProto"
  | "SparseTensorProto"
  | "TensorProto";

interface MessageFields {
  /** Fields that lead to tensors, with the type of message in each. */
  readonly inner: Readonly<Record<number, OnnxMessage>>;
  /** All other length-delimited fields: texts, packed numbers, messages without tensors. */
  readonly other: readonly number[];
}

/**
 * The ONNX schema by field number. Any other field is refused, because a runtime that supports it might read weights
 * from it. Source: onnx-ml.proto, IR version 12; a test compares the two.
 */
export const onnxFields: Readonly<Record<OnnxMessage, MessageFields>> = {
  ModelProto: {
    inner: { 7: "GraphProto", 20: "TrainingInfoProto", 25: "FunctionProto" },
    other: [2, 3, 4, 6, 8, 14, 26],
  },
  TrainingInfoProto: { inner: { 1: "GraphProto", 2: "GraphProto" }, other: [3, 4] },
  FunctionProto: { inner: { 7: "NodeProto", 11: "AttributeProto" }, other: [1, 4, 5, 6, 8, 9, 10, 12, 13, 14] },
  GraphProto: {
    inner: { 1: "NodeProto", 5: "TensorProto", 15: "SparseTensorProto" },
    other: [2, 10, 11, 12, 13, 14, 16],
  },
  NodeProto: { inner: { 5: "AttributeProto" }, other: [1, 2, 3, 4, 6, 7, 8, 9, 10] },
  AttributeProto: {
    inner: {
      5: "TensorProto",
      6: "GraphProto",
      10: "TensorProto",
      11: "GraphProto",
      22: "SparseTensorProto",
      23: "SparseTensorProto",
    },
    other: [1, 4, 7, 8, 9, 13, 14, 15, 21],
  },
  SparseTensorProto: { inner: { 1: "TensorProto", 2: "TensorProto" }, other: [3] },
  TensorProto: { inner: {}, other: [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16] },
};

const externalDataField = 13;
const dataLocationField = 14;
const deepestNesting = 100;

/**
 * Names of the files in which a graph stores weights, as written in the graph, without duplicates, in order of first
 * use. Visits every message that can contain a tensor.
 * @throws {SluiceError} MODEL_INVALID  the bytes are not an ONNX model of the known schema; a tensor that ONNX Runtime
 *   cannot read from memory is stored in a file; a name is not a relative path below the graph
 */
export function externalDataNames(graph: Uint8Array): readonly string[] {
  const names = new Set<string>();
  visit(graph, "ModelProto", [], names);
  return [...names];
}

/**
 * Requires that all weights of a graph are among the given bytes.
 * @throws {SluiceError} MODEL_INVALID  as `externalDataNames`, or if a file is not given
 */
export function requireOwnWeights(graph: Uint8Array, given: readonly { readonly path: string }[]): void {
  const paths = new Set(given.map(({ path }) => path));
  const foreign = externalDataNames(graph).find((name) => !paths.has(name));
  if (foreign === undefined) return;
  throw invalid(`the graph stores weights in ${JSON.stringify(foreign)}, which is not among the files of the model`);
}

function visit(bytes: Uint8Array, message: OnnxMessage, path: readonly OnnxMessage[], names: Set<string>): void {
  if (path.length > deepestNesting) throw invalid(`the graph is nested more than ${deepestNesting} messages deep`);
  const { inner, other } = onnxFields[message];
  const own = [...path, message];
  for (const { number, value, bytes: content } of fieldsOf(bytes)) {
    if (value !== null) continue;
    const next = inner[number];
    if (next !== undefined) visit(content, next, own, names);
    else if (!other.includes(number)) throw invalid(`${message} has the unknown field ${number}`);
  }
  if (message === "TensorProto") visitTensor(bytes, own, names);
}

function visitTensor(bytes: Uint8Array, path: readonly OnnxMessage[], names: Set<string>): void {
  for (const { number, value, bytes: content } of fieldsOf(bytes)) {
    if (value === null && number === externalDataField) addLocation(content, names);
    if (number !== dataLocationField || value === null || value === 0 || path.at(-2) === "GraphProto") continue;
    throw invalid(`a tensor in ${path.join("/")} is stored in a file; only initializers of a graph may be`);
  }
}

function addLocation(entry: Uint8Array, names: Set<string>): void {
  const texts = new Map([...fieldsOf(entry)].map(({ number, bytes }) => [number, Buffer.from(bytes).toString("utf8")]));
  if (texts.get(1) !== "location") return;
  const name = texts.get(2) ?? "";
  const parts = name.split("/");
  if (name === "" || /[\\*\0]|^[A-Za-z]:/.test(name) || parts.some((part) => part === "" || part === "..")) {
    throw invalid(`weights are stored in ${JSON.stringify(name)}, expected a relative path below the graph's folder`);
  }
  names.add(name);
}

const invalid = (message: string): SluiceError => new SluiceError("MODEL_INVALID", message);
