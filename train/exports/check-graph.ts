import type { GraphFacts, GraphPortFacts } from "../../src/inference/inspect-graph.js";
import { lastDimension } from "./derive-output.js";
import { failed, type ModelCheck, ok } from "./model-check.js";

/** The input that every graph must have, and optional inputs that the runtime supplies. */
const requiredInput = "input_ids";
const optionalInputs = ["attention_mask", "token_type_ids"];

/** The fields of a description that must match its graph. */
export interface DescribedOutput {
  readonly output: string;
  /** Numbers per row: dimensions of a vector, or columns of a verifier. */
  readonly columns: number;
}

/** Checks inputs, output and width of a graph against the runtime and the description. */
export function checkGraph(facts: GraphFacts, described: DescribedOutput): readonly ModelCheck[] {
  const output = facts.outputs.find(({ name }) => name === described.output);
  const names = facts.outputs.map(({ name }) => name).join(", ");
  if (output === undefined) {
    return [checkInputs(facts.inputs), failed("output", `the graph has ${names}`, described.output)];
  }
  return [checkInputs(facts.inputs), ok("output", portText(output)), checkWidth(output, described.columns)];
}

function checkInputs(inputs: readonly GraphPortFacts[]): ModelCheck {
  const text = inputs.map(portText).join(", ");
  const known = [requiredInput, ...optionalInputs];
  const understood = inputs.every(({ name, elementType }) => known.includes(name) && elementType === "int64");
  if (understood && inputs.some(({ name }) => name === requiredInput)) return ok("inputs", text);
  return failed("inputs", text, `${requiredInput} and at most ${optionalInputs.join(", ")}, all int64`);
}

function checkWidth(output: GraphPortFacts, columns: number): ModelCheck {
  const width = lastDimension(output);
  if (width === undefined) return ok("width", `${columns}; the graph leaves it open`);
  return width === columns ? ok("width", `${width}`) : failed("width", `${columns}`, `${width}, as the graph says`);
}

/** Formats an input or output, e.g. `logits float32[batch, 3]`. */
export function portText({ name, elementType, shape }: GraphPortFacts): string {
  return `${name} ${elementType ?? "not a tensor"}[${shape.join(", ")}]`;
}
