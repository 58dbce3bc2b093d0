/**
 * Writes small ONNX graphs (opset 17, IR 8): nodes without attributes, float32 constants, one batch dimension.
 * Field numbers: onnx.proto of the ONNX project.
 */

const floatType = 1;
const wireVarint = 0;
const wireBytes = 2;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

const numberField = (field: number, value: number): Buffer =>
  Buffer.concat([varint(field * 8 + wireVarint), varint(value)]);

const bytesField = (field: number, value: Buffer | string): Buffer => {
  const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : value;
  return Buffer.concat([varint(field * 8 + wireBytes), varint(bytes.length), bytes]);
};

export interface GraphConstant {
  readonly name: string;
  readonly dimensions: readonly number[];
  /** Row-major. */
  readonly values: Float32Array;
}

export interface GraphNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly output: string;
}

/** A float matrix whose first dimension is the batch. */
export interface GraphPort {
  readonly name: string;
  readonly columns: number;
}

export interface Graph {
  readonly name: string;
  readonly input: GraphPort;
  readonly output: GraphPort;
  readonly nodes: readonly GraphNode[];
  readonly constants: readonly GraphConstant[];
}

function port({ name, columns }: GraphPort): Buffer {
  const batch = bytesField(1, bytesField(2, "batch"));
  const width = bytesField(1, numberField(1, columns));
  const tensor = Buffer.concat([numberField(1, floatType), bytesField(2, Buffer.concat([batch, width]))]);
  return Buffer.concat([bytesField(1, name), bytesField(2, bytesField(1, tensor))]);
}

function constant({ name, dimensions, values }: GraphConstant): Buffer {
  const raw = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) raw.writeFloatLE(value, index * 4);
  return Buffer.concat([
    ...dimensions.map((size) => numberField(1, size)),
    numberField(2, floatType),
    bytesField(8, name),
    bytesField(9, raw),
  ]);
}

function node({ operator, inputs, output }: GraphNode): Buffer {
  return Buffer.concat([
    ...inputs.map((input) => bytesField(1, input)),
    bytesField(2, output),
    bytesField(3, output),
    bytesField(4, operator),
  ]);
}

/** Bytes of an ONNX model; the same graph gives the same bytes. */
export function onnxModel(graph: Graph): Buffer {
  const body = Buffer.concat([
    ...graph.nodes.map((n) => bytesField(1, node(n))),
    bytesField(2, graph.name),
    ...graph.constants.map((c) => bytesField(5, constant(c))),
    bytesField(11, port(graph.input)),
    bytesField(12, port(graph.output)),
  ]);
  return Buffer.concat([
    numberField(1, 8),
    bytesField(2, "sluice"),
    bytesField(7, body),
    bytesField(8, Buffer.concat([bytesField(1, ""), numberField(2, 17)])),
  ]);
}
