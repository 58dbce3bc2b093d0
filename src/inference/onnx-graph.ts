/**
 * Writes small ONNX graphs (opset 17, IR 8) with float32, float16, int8 and int64 tensors, and reads their weights.
 * Field numbers: onnx.proto of the ONNX project.
 */
import { bytesField, fieldsOf, floatField, integerField, type MessagePieces } from "./protobuf.js";
import type { ModelSpec } from "./protocol.js";

const elementTypes = { float32: 1, int8: 3, int64: 7, float16: 10 } as const;
const attributeTypes = { float: 1, int: 2, ints: 7 } as const;
const externalLocation = 1;

export type ElementType = keyof typeof elementTypes;

export interface GraphPort {
  readonly name: string;
  readonly type: ElementType;
  /** A number is a fixed size, a name a variable size; empty for a scalar. */
  readonly dimensions: readonly (number | string)[];
}

/** A weight. The array determines the element type; a Uint16Array contains the bits of float16 numbers. */
export interface GraphConstant {
  readonly name: string;
  readonly dimensions: readonly number[];
  /** Row-major. */
  readonly values: Float32Array | Int8Array | BigInt64Array | Uint16Array;
  /** Path of a file that contains only `constantBytes(values)`; without it, the weights are stored in the graph. */
  readonly file?: string;
}

export type GraphAttribute =
  | { readonly name: string; readonly int: number }
  | { readonly name: string; readonly float: number }
  | { readonly name: string; readonly ints: readonly number[] };

export interface GraphNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: readonly GraphAttribute[];
}

export interface Graph {
  readonly name: string;
  readonly inputs: readonly GraphPort[];
  readonly outputs: readonly GraphPort[];
  readonly nodes: readonly GraphNode[];
  readonly constants: readonly GraphConstant[];
}

/** A float32 matrix whose first dimension is the batch. */
export const floatMatrix = (name: string, columns: number): GraphPort => {
  return { name, type: "float32", dimensions: ["batch", columns] };
};

/** The bytes of a constant as stored in a graph or an external file: little-endian, row-major. */
export const constantBytes = ({ buffer, byteOffset, byteLength }: GraphConstant["values"]): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

function port({ name, type, dimensions }: GraphPort): MessagePieces {
  const sizes = dimensions.map((size) =>
    bytesField(1, typeof size === "number" ? integerField(1, size) : bytesField(2, size)),
  );
  const tensor = [...integerField(1, elementTypes[type]), ...bytesField(2, sizes.flat())];
  return [...bytesField(1, name), ...bytesField(2, bytesField(1, tensor))];
}

function elementType(values: GraphConstant["values"]): ElementType {
  if (values instanceof Float32Array) return "float32";
  if (values instanceof Int8Array) return "int8";
  return values instanceof BigInt64Array ? "int64" : "float16";
}

function constant({ name, dimensions, values, file }: GraphConstant): MessagePieces {
  const location = (path: string): MessagePieces => [...bytesField(1, "location"), ...bytesField(2, path)];
  const content =
    file === undefined
      ? bytesField(9, constantBytes(values))
      : [...bytesField(13, location(file)), ...integerField(14, externalLocation)];
  return [
    ...dimensions.flatMap((size) => integerField(1, size)),
    ...integerField(2, elementTypes[elementType(values)]),
    ...bytesField(8, name),
    ...content,
  ];
}

function attribute(given: GraphAttribute): MessagePieces {
  const name = bytesField(1, given.name);
  if ("float" in given) {
    return [...name, ...floatField(2, given.float), ...integerField(20, attributeTypes.float)];
  }
  if ("int" in given) return [...name, ...integerField(3, given.int), ...integerField(20, attributeTypes.int)];
  const values = given.ints.flatMap((value) => integerField(8, value));
  return [...name, ...values, ...integerField(20, attributeTypes.ints)];
}

function node({ operator, inputs, outputs, attributes = [] }: GraphNode): MessagePieces {
  return [
    ...inputs.flatMap((input) => bytesField(1, input)),
    ...outputs.flatMap((output) => bytesField(2, output)),
    ...bytesField(3, outputs[0] ?? ""),
    ...bytesField(4, operator),
    ...attributes.flatMap((given) => bytesField(5, attribute(given))),
  ];
}

/** Serializes an ONNX model; equal graphs give equal bytes. */
export function onnxModel(graph: Graph): Buffer {
  const body = [
    ...graph.nodes.flatMap((n) => bytesField(1, node(n))),
    ...bytesField(2, graph.name),
    ...graph.constants.flatMap((c) => bytesField(5, constant(c))),
    ...graph.inputs.flatMap((input) => bytesField(11, port(input))),
    ...graph.outputs.flatMap((output) => bytesField(12, port(output))),
  ];
  return Buffer.concat([
    ...integerField(1, 8),
    ...bytesField(2, "sluice"),
    ...bytesField(7, body),
    ...bytesField(8, [...bytesField(1, ""), ...integerField(2, 17)]),
  ]);
}

/**
 * Reads the bytes of a graph's constants by name, as written by `onnxModel`.
 * @throws {SluiceError} MODEL_INVALID  the bytes are not an ONNX model
 */
export function constantsOf(model: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const constants = new Map<string, Uint8Array>();
  for (const graph of inner(model, 7)) {
    for (const constant of inner(graph, 5)) {
      const [name] = inner(constant, 8);
      const [content] = inner(constant, 9);
      if (name !== undefined && content !== undefined) constants.set(Buffer.from(name).toString("utf8"), content);
    }
  }
  return constants;
}

const inner = (message: Uint8Array, field: number): readonly Uint8Array[] =>
  [...fieldsOf(message)].flatMap(({ number, value, bytes }) => (number === field && value === null ? [bytes] : []));

/** A graph that maps a float matrix to a float matrix and contains all its weights. */
export const plainGraph = (bytes: Uint8Array): ModelSpec => ({ kind: "graph", graph: { bytes, externalData: [] } });
