import { type InferenceSession, Tensor } from "onnxruntime-node";
import { SluiceError } from "../../errors/error.js";
import type { TransformerFiles } from "../protocol.js";
import type { TokenRow } from "../tokenizer/row-template.js";
import { type FloatOutput, readFloats } from "./float-output.js";
import { openSession } from "./open-session.js";

/** Inputs of a transformer graph, by their export names. */
const arraysOf = {
  input_ids: ({ ids }: TokenRow) => BigInt64Array.from(ids, BigInt),
  attention_mask: ({ ids }: TokenRow) => new BigInt64Array(ids.length).fill(1n),
  token_type_ids: ({ typeIds }: TokenRow) => BigInt64Array.from(typeIds, BigInt),
} as const;
type InputName = keyof typeof arraysOf;

const isKnown = (name: string): name is InputName => Object.hasOwn(arraysOf, name);

/** A graph from a row of tokens to one of its outputs. */
export class TransformerSession {
  private readonly session: InferenceSession;
  private readonly inputs: readonly InputName[];
  private readonly output: string;

  private constructor(session: InferenceSession, output: string) {
    this.session = session;
    this.inputs = session.inputNames.filter(isKnown);
    this.output = output;
  }

  /** @throws {SluiceError} MODEL_INVALID when the graph has other inputs or fixed axes, or lacks the output */
  static async open({ graph, output }: TransformerFiles): Promise<TransformerSession> {
    const session = await openSession(graph);
    const problem = problemOf(session, output);
    if (problem === null) return new TransformerSession(session, output);
    await session.release();
    throw problem;
  }

  /** @throws {SluiceError} MODEL_RUN_FAILED on a malformed output, or what ONNX Runtime throws */
  async run(row: TokenRow): Promise<FloatOutput> {
    const shape = [1, row.ids.length];
    const feeds = Object.fromEntries(
      this.inputs.map((name) => [name, new Tensor("int64", arraysOf[name](row), shape)] as const),
    );
    const outputs = await this.session.run(feeds, [this.output]);
    return readFloats(outputs[this.output], 1);
  }

  release(): Promise<void> {
    return this.session.release();
  }
}

function problemOf(session: InferenceSession, output: string): SluiceError | null {
  const invalid = (message: string): SluiceError => new SluiceError("MODEL_INVALID", message);
  const unknown = session.inputNames.find((name) => !isKnown(name));
  if (unknown !== undefined) {
    return invalid(
      `the graph requires the unknown input ${unknown}; known inputs: ${Object.keys(arraysOf).join(", ")}`,
    );
  }
  if (!session.inputNames.includes("input_ids")) return invalid("the graph has no input input_ids");
  for (const input of session.inputMetadata) {
    if (!input.isTensor) continue;
    if (input.type !== "int64") return invalid(`the graph's input ${input.name} is ${input.type}, not int64`);
    // Each text runs alone, so a batch may be fixed at one.
    const axis = input.shape.findIndex((size, at) => typeof size === "number" && size > (at === 0 ? 1 : 0));
    if (axis >= 0) return fixedAxis(input.name, input.shape, axis);
  }
  if (session.outputNames.includes(output)) return null;
  return invalid(`the graph has no output ${output}; it has ${session.outputNames.join(", ")}`);
}

function fixedAxis(name: string, shape: readonly (number | string)[], axis: number): SluiceError {
  return new SluiceError(
    "MODEL_INVALID",
    `the graph's input ${name} [${shape.join(", ")}] has the fixed axis ${axis} of size ${shape[axis]}, expected a dynamic one`,
    { hint: "Export the model again with dynamic axes, e.g. torch.onnx.export(..., dynamic_axes=...)." },
  );
}
