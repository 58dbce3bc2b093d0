import type { GraphFacts, GraphPortFacts } from "../../src/inference/inspect-graph.js";
import type { Pooling } from "../../src/documents/choices.js";
import type { ModelRole } from "../../src/documents/choices.js";
import { type Derived, refused } from "./sourced.js";

/** Names of vector outputs; the first one that a graph has is read. */
const vectorOutputs = ["sentence_embedding"];
const tokenOutputs = ["last_hidden_state", "token_embeddings"];
const scoreOutputs = ["logits"];

/** The user's choices; undefined if not specified. */
export interface OutputWishes {
  readonly output: string | undefined;
  readonly pooling: Pooling | undefined;
}

/** Chooses the output of the graph to read. */
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
