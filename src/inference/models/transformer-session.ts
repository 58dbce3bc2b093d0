import { type InferenceSession, Tensor } from "onnxruntime-node";
import { SluiceError } from "../../errors/error.js";
import type { TransformerFiles } from "../protocol.js";
import type { TokenBatch } from "../tokenizer/token-batch.js";
import { type FloatOutput, readFloats } from "./float-output.js";
import { openSession } from "./open-session.js";

/** Inputs of a transformer graph, by their export names. */
const arraysOf = {
  input_ids: (batch: TokenBatch) => batch.inputIds,
  attention_mask: (batch: TokenBatch) => batch.attentionMask,
  token_type_ids: (batch: TokenBatch) => batch.tokenTypeIds,
} as const;
type InputName = keyof typeof arraysOf;

const required: readonly InputName[] = ["input_ids", "attention_mask"];
const isKnown = (name: string): name is InputName => Object.hasOwn(arraysOf, name);

/** A graph from rows of tokens to one of its outputs. */
export class TransformerSession {
  private readonly session: InferenceSession;
  private readonly inputs: readonly InputName[];
  private readonly output: string;

  private constructor(session: InferenceSession, output: string) {
    this.session = session;
    this.inputs = session.inputNames.filter(isKnown);
    this.output = output;
  }

  /** @throws {SluiceError} MODEL_INVALID when the graph has other inputs, or lacks the output */
  static async open({ graph, output }: TransformerFiles): Promise<TransformerSession> {
    const session = await openSession(graph);
    const problem = problemOf(session, output);
    if (problem === null) return new TransformerSession(session, output);
    await session.release();
    throw new SluiceError("MODEL_INVALID", problem);
  }

  /** @throws {SluiceError} MODEL_RUN_FAILED on a malformed output, or what ONNX Runtime throws */
  async run(batch: TokenBatch): Promise<FloatOutput> {
    const shape = [batch.rows, batch.tokens];
    const feeds = Object.fromEntries(
      this.inputs.map((name) => [name, new Tensor("int64", arraysOf[name](batch), shape)] as const),
    );
    const outputs = await this.session.run(feeds, [this.output]);
    return readFloats(outputs[this.output], batch.rows);
  }

  release(): Promise<void> {
    return this.session.release();
  }
}

function problemOf(session: InferenceSession, output: string): string | null {
  const unknown = session.inputNames.find((name) => !isKnown(name));
  if (unknown !== undefined) {
    return `the graph requires the unknown input ${unknown}; known inputs: ${Object.keys(arraysOf).join(", ")}`;
  }
  const absent = required.find((name) => !session.inputNames.includes(name));
  if (absent !== undefined) return `the graph has no input ${absent}`;
  for (const input of session.inputMetadata) {
    if (input.isTensor && input.type !== "int64") return `the graph's input ${input.name} is ${input.type}, not int64`;
  }
  if (session.outputNames.includes(output)) return null;
  return `the graph has no output ${output}; it has ${session.outputNames.join(", ")}`;
}
