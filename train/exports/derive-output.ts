import type { GraphFacts, GraphPortFacts } from "../../src/inference/inspect-graph.js";
import type { Pooling, ModelRole, Activation } from "../../src/documents/choices.js";
import { type Derived, refused } from "./derived.js";

/** Names of vector outputs; the first one that a graph has is read. */
const vectorOutputs = ["sentence_embedding"];
const tokenOutputs = ["last_hidden_state", "token_embeddings"];
const scoreOutputs = ["logits"];

/** The user's choices; undefined if not specified. */
export interface OutputWishes {
  readonly output?: string | undefined;
  readonly pooling?: Pooling | undefined;
}

export function deriveOutput(facts: GraphFacts, role: ModelRole, wishes: OutputWishes): Derived<GraphPortFacts> {
  const names = facts.outputs.map(({ name }) => name).join(", ");
  const flag = "--graph-output NAME";
  if (wishes.output !== undefined) {
    const wanted = facts.outputs.find(({ name }) => name === wishes.output);
    return wanted === undefined
      ? refused(`the graph has no output ${wishes.output}`, `--graph-output with one of ${names}`)
      : { value: wanted, source: "--graph-output" };
  }
  for (const known of knownOutputs(role, wishes.pooling)) {
    const output = facts.outputs.find(({ name }) => name === known);
    if (output !== undefined) return { value: output, source: "name of the graph's output" };
  }
  const [only] = facts.outputs;
  if (only !== undefined && facts.outputs.length === 1) return { value: only, source: "the graph's only output" };
  return { missing: `none of the outputs ${names} is known for a ${role}`, flag };
}

function knownOutputs(role: ModelRole, pooling: Pooling | undefined): readonly string[] {
  if (role === "verifier") return scoreOutputs;
  return pooling === undefined || pooling === "none" ? [...vectorOutputs, ...tokenOutputs] : tokenOutputs;
}

/** Size of the last dimension; undefined if the graph leaves it open. */
export function lastDimension({ shape }: GraphPortFacts): number | undefined {
  const last = shape.at(-1);
  return typeof last === "number" && last > 0 ? last : undefined;
}

/**
 * Number of columns of a verifier's output; undefined if the graph leaves it open. A one-dimensional output has one
 * column.
 */
export function columnsOf(output: GraphPortFacts): number | undefined {
  return output.shape.length === 1 ? 1 : lastDimension(output);
}

/** Formats an input or output, e.g. `logits float32[batch, 3]`. */
export function portText({ name, element_type: type, shape }: GraphPortFacts): string {
  return `${name} ${type ?? "not a tensor"}[${shape.join(", ")}]`;
}

/** Tolerance for probabilities; half precision and int8 change them by less. */
const tolerance = 2e-3;

/**
 * Infers the final activation of a graph from the rows of a probe. Raw logits of many pairs are not all in [0, 1]; rows
 * in [0, 1] that also sum to 1 come from a softmax.
 * @param rows  one row per pair of the probe, one number per column
 */
function measuredActivation(rows: readonly Float32Array[]): Activation {
  const inUnit = rows.every((row) => row.every((value) => value >= -tolerance && value <= 1 + tolerance));
  if (!inUnit) return "none";
  const sumsToOne = rows.every((row) => Math.abs(row.reduce((sum, value) => sum + value, 0) - 1) <= tolerance);
  return sumsToOne && (rows[0]?.length ?? 0) > 1 ? "softmax" : "sigmoid";
}

const measuredText: Readonly<Record<Activation, string>> = {
  none: "scores of the probe lie outside of [0, 1]",
  sigmoid: "every score of the probe lies in [0, 1]",
  softmax: "every row of the probe lies in [0, 1] and sums to 1",
};

/**
 * The activation of a verifier: none if the probe shows raw logits, otherwise as stated by the flag.
 * @param wanted  from the command line
 */
export function deriveActivation(rows: readonly Float32Array[], wanted: Activation | undefined): Derived<Activation> {
  const measured = measuredActivation(rows);
  const found = measuredText[measured];
  if (wanted !== undefined) {
    // Raw logits can all be in [0, 1], though rarely, but their rows never all sum to 1.
    return wanted === measured || (wanted === "none" && measured === "sigmoid")
      ? { value: wanted, source: "--activation" }
      : refused(`--activation ${wanted}, but ${found}`, `--activation ${measured}`);
  }
  if (measured === "none") return { value: "none", source: `measured: ${found}` };
  return {
    missing: `${found}, so that the graph already applies a ${measured}`,
    flag: measured === "softmax" ? "--activation softmax" : "--activation sigmoid, or none for raw logits",
  };
}
