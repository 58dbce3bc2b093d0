import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  externalDataNames,
  onnxFields,
  type OnnxMessage,
  requireOwnWeights,
} from "../../../src/inference/external-weights.js";
import { inspectGraph } from "../../../src/inference/inspect-graph.js";
import { constantBytes, onnxModel } from "../../../src/inference/onnx-graph.js";
import { bytesField, integerField, type MessagePieces } from "../../../src/inference/protobuf.js";
import { assert, rejects, test, throws } from "../../support/test.js";
import { linearGraph, linearModel } from "../../support/graphs.js";

/** Field numbers and types of every message of onnx-ml.proto. */
const schema = JSON.parse(await readFile("test/fixtures/onnx-schema.json", "utf8")) as {
  readonly messages: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

const typeOf = (field: string): string => field.replace(/^repeated /, "").split(" ")[0] ?? "";
const numbers = new Set(["int32", "int64", "float", "double", "uint64", "DataType", "DataLocation", "AttributeType"]);

/** The messages from which a TensorProto can be reached, TensorProto included. */
function messagesWithTensors(): ReadonlySet<string> {
  const found = new Set(["TensorProto"]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const [name, fields] of Object.entries(schema.messages)) {
      if (Object.values(fields).some((field) => found.has(typeOf(field)))) found.add(name);
    }
  }
  return found;
}

test("every message of the ONNX schema that can hold a tensor is visited, and every other field is listed", () => {
  const reachable = messagesWithTensors();
  assert.equal([...reachable].sort(), Object.keys(onnxFields).sort());
  for (const [name, { inner, other }] of Object.entries(onnxFields)) {
    const fields = Object.entries(schema.messages[name] ?? {});
    const leading = fields.filter(([, field]) => reachable.has(typeOf(field)));
    assert.equal(inner, Object.fromEntries(leading.map(([number, field]) => [number, typeOf(field)])), name);
    // A field of numbers has a length where its entries are packed.
    const withLength = fields.filter(
      ([, field]) => !reachable.has(typeOf(field)) && (field.startsWith("repeated") || !numbers.has(typeOf(field))),
    );
    assert.equal(
      [...other],
      withLength.map(([number]) => Number(number)).sort((a, b) => a - b),
      name,
    );
  }
});

const outside = (file: string, location = 1): MessagePieces => [
  ...integerField(1, 1),
  ...integerField(2, 1),
  ...bytesField(8, "w"),
  ...bytesField(13, [...bytesField(1, "location"), ...bytesField(2, file)]),
  ...integerField(14, location),
];

interface Place {
  /** Field numbers from the model to the tensor. */
  readonly fields: readonly number[];
  /** The message that holds the tensor. */
  readonly holder: OnnxMessage;
}

/** Every way from a message to a tensor that visits no message twice. */
function placesIn(holder: OnnxMessage, seen: readonly OnnxMessage[] = []): readonly Place[] {
  return Object.entries(onnxFields[holder].inner).flatMap(([number, next]): readonly Place[] => {
    if (next === "TensorProto") return [{ fields: [Number(number)], holder }];
    if (seen.includes(next)) return [];
    return placesIn(next, [...seen, holder]).map((place) => {
      return { ...place, fields: [Number(number), ...place.fields] };
    });
  });
}

test("a tensor in a file is found wherever the format can hold one", () => {
  const places = placesIn("ModelProto");
  assert.ok(places.length >= 20);
  for (const { fields, holder } of places) {
    const nested = fields.reduceRight<MessagePieces>((inner, field) => bytesField(field, inner), outside("w.bin"));
    const graph = Buffer.concat(nested);
    if (holder === "GraphProto") assert.equal(externalDataNames(graph), ["w.bin"], fields.join("/"));
    else assert.match(throws(() => externalDataNames(graph), "MODEL_INVALID").message, "is stored in a file");
  }
});

test("a graph with its weights inside names no file", () => {
  assert.equal(externalDataNames(linearModel({ columns: 2, weights: [1, 2], bias: [0] })), []);
});

test("a field that the schema does not have, and a location that is not a plain path, are refused", () => {
  const model = (graph: MessagePieces): Buffer => Buffer.concat(bytesField(7, graph));
  const refused = (graph: Buffer): string => throws(() => externalDataNames(graph), "MODEL_INVALID").message;
  assert.match(refused(model(bytesField(99, "x"))), "GraphProto has the unknown field 99");
  for (const path of ["../w.bin", "/w.bin", "a//b", "*/_ORT_MEM_ADDR_/*", "C:w.bin", ""]) {
    assert.match(refused(model(bytesField(5, outside(path)))), "expected a relative path below the graph's folder");
  }
  // An enumeration is read as 32 bits: 2^32 + 1 means 1 to the runtime.
  assert.match(refused(model(bytesField(15, bytesField(1, outside("w.bin", 2 ** 32 + 1))))), "is stored in a file");
  assert.match(refused(Buffer.from("this is a text file, not a graph")), "not an ONNX model");
});

/** The linear graph whose bias is a sparse tensor with its values in a file. */
function withSparseBias(file: string): Buffer {
  const linear = linearGraph({ columns: 2, weights: [1, 2], bias: [0] });
  const dense = onnxModel({ ...linear, constants: linear.constants.slice(0, 1) });
  const values = [
    ...integerField(1, 1),
    ...integerField(2, 1),
    ...bytesField(8, "bias"),
    ...bytesField(13, [...bytesField(1, "location"), ...bytesField(2, file)]),
    ...integerField(14, 1),
  ];
  const index = BigInt64Array.of(0n);
  const indices = [...integerField(1, 1), ...integerField(2, 7), ...bytesField(9, constantBytes(index))];
  const sparse = [...bytesField(1, values), ...bytesField(2, indices), ...integerField(3, 1)];
  // A repeated message is merged with the graph that is there.
  return Buffer.concat([dense, ...bytesField(7, bytesField(15, sparse))]);
}

test("no session reads weights from the working directory", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-weights-"));
  await writeFile(join(folder, "w.bin"), constantBytes(Float32Array.of(12)));
  const back = process.cwd();
  process.chdir(folder);
  try {
    const error = await rejects(inspectGraph({ bytes: withSparseBias("w.bin"), externalData: [] }), "MODEL_INVALID");
    assert.match(error.message, "SparseTensorProto/TensorProto is stored in a file");
    const linear = linearGraph({ columns: 2, weights: [1, 2], bias: [0] });
    const [matrix, ...others] = linear.constants;
    if (matrix === undefined) throw new Error("a linear graph has a matrix");
    const bytes = onnxModel({ ...linear, constants: [{ ...matrix, file: "w.bin" }, ...others] });
    assert.match(
      (await rejects(inspectGraph({ bytes, externalData: [] }), "MODEL_INVALID")).message,
      'the graph stores weights in "w.bin", which is not among the files of the model',
    );
  } finally {
    process.chdir(back);
  }
});

test("the weights of a graph must be among the given files", () => {
  const graph = Buffer.concat(bytesField(7, bytesField(5, outside("w.bin"))));
  requireOwnWeights(graph, [{ path: "w.bin" }]);
  throws(() => requireOwnWeights(graph, [{ path: "v.bin" }]), "MODEL_INVALID");
});
