/** A graph that keeps its weights in a file beside it. */
import { linearModel } from "./graphs.js";

const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);
const text = (value: string): Buffer => Buffer.from(value, "utf8");
const entry = (key: string, value: string): Buffer =>
  field(13, Buffer.concat([field(1, text(key)), field(2, text(value))]));

/** input [n, 1] x one weight of 2 -> output [n, 1]; the weight is in the file `location`. */
export function linearModelWithExternalWeights(location: string): { graph: Buffer; weights: Buffer } {
  const weights = Buffer.alloc(4);
  weights.writeFloatLE(2);
  const inside = linearModel({ columns: 1, weights: [2], bias: [0] });
  // TensorProto: dims 1, 1; float; name; raw data, which moves to the file (data_location 1 = EXTERNAL).
  const head = Buffer.concat([Buffer.from([8, 1, 8, 1, 16, 1]), field(8, text("weights"))]);
  const withRaw = field(5, Buffer.concat([head, field(9, weights)]));
  const withFile = field(
    5,
    Buffer.concat([head, entry("location", location), entry("length", "4"), Buffer.from([14 * 8, 1])]),
  );
  const start = inside.indexOf(withRaw);
  if (start === -1) throw new Error("the writer of graphs writes tensors in another form");
  return { graph: replaceInGraph(inside, start, withRaw, withFile), weights };
}

/** Replaces a part of the graph (field 7 of the model) and corrects the length of the graph. */
function replaceInGraph(model: Buffer, start: number, before: Buffer, after: Buffer): Buffer {
  const body = graphBody(model);
  const at = start - body.offset;
  const graph = Buffer.concat([body.bytes.subarray(0, at), after, body.bytes.subarray(at + before.length)]);
  return Buffer.concat([
    model.subarray(0, body.headOffset),
    Buffer.from([7 * 8 + 2, ...varint(graph.length)]),
    graph,
    model.subarray(body.offset + body.bytes.length),
  ]);
}

function graphBody(model: Buffer): { headOffset: number; offset: number; bytes: Buffer } {
  const headOffset = model.indexOf(Buffer.concat([field(2, text("sluice")), Buffer.from([7 * 8 + 2])])) + 8;
  let offset = headOffset + 1;
  let length = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = model[offset] ?? 0;
    offset += 1;
    length += (byte % 128) * scale;
    if (byte < 128) return { headOffset, offset, bytes: model.subarray(offset, offset + length) };
  }
}

const varint = (value: number): readonly number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
