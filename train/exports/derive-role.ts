import type { GraphFacts, GraphPortFacts } from "../../src/inference/inspect-graph.js";
import { type ModelRole, modelRoles } from "../../src/documents/choices.js";
import { exportFiles, type ModelExport } from "./model-export.js";
import type { Derived } from "./sourced.js";

const embeddingOutputs = ["sentence_embedding", "last_hidden_state", "token_embeddings"];

/** Role of an export: from the flag, otherwise from its files and its graph, which must agree. */
export function deriveRole(model: ModelExport, facts: GraphFacts, wanted: ModelRole | undefined): Derived<ModelRole> {
  if (wanted !== undefined) return { value: wanted, source: "--role" };
  const retriever = retrieverSigns(model, facts.outputs);
  const verifier = verifierSigns(model, facts.outputs);
  if (retriever.length > 0 && verifier.length === 0) return { value: "retriever", source: retriever.join(" and ") };
  if (verifier.length > 0 && retriever.length === 0) return { value: "verifier", source: verifier.join(" and ") };
  const outputs = facts.outputs.map(({ name }) => name).join(", ");
  const missing =
    retriever.length === 0
      ? `no file says what the model is for, and neither do its outputs (${outputs})`
      : `${retriever.join(" and ")} of a retriever, but ${verifier.join(" and ")} of a verifier`;
  return { missing, flag: `--role ${modelRoles.join("|")}` };
}

function retrieverSigns(model: ModelExport, outputs: readonly GraphPortFacts[]): readonly string[] {
  const output = outputs.find(({ name }) => embeddingOutputs.includes(name));
  return [
    ...(model.modules === undefined ? [] : [exportFiles.modules]),
    ...(output === undefined ? [] : [`output ${output.name}`]),
  ];
}

function verifierSigns(model: ModelExport, outputs: readonly GraphPortFacts[]): readonly string[] {
  const architecture = model.config?.architectures?.find((name) => name.endsWith("ForSequenceClassification"));
  const logits = outputs.some(({ name, shape }) => name === "logits" && (shape.length === 1 || shape.length === 2));
  return [
    ...(architecture === undefined ? [] : [`${exportFiles.config} (${architecture})`]),
    ...(logits ? ["output logits"] : []),
  ];
}
