import type { Workflow } from "../../domain/catalog.js";
import type { LexicalSettings, LexicalRetrieverModel } from "../../domain/model.js";
import { SluiceError } from "../../errors/error.js";
import { floatMatrix, type Graph, onnxModel } from "../../inference/onnx-graph.js";
import type { RunScope } from "../../domain/run-scope.js";
import { plainGraph } from "../../inference/plain-graph.js";
import type { InferencePool, LoadedModel } from "../../inference/pool.js";
import { contractParts, type PartKind } from "../../serializer/contract-parts.js";
import { idRanksOf } from "../best-positions.js";
import type { Ranking, Retriever } from "../retriever.js";
import { ContractIndex } from "./contract-index.js";
import { fitRidgeHead, requireFittable } from "./ridge-head.js";

const indexedKinds: readonly PartKind[] = ["name", "description", "capability", "example"];

const indexedPartsOf = (workflow: Workflow) =>
  contractParts(workflow).filter(({ kind }) => indexedKinds.includes(kind));

/** similarities [batch, parts] -> exp(gamma (s - 1)) x weights -> scores [batch, workflows] */
function headGraph(index: ContractIndex, weights: Float32Array, settings: LexicalSettings): Graph {
  const parts = index.parts.length;
  const workflows = index.workflowIds.length;
  return {
    name: "lexical_head",
    inputs: [floatMatrix("similarities", parts)],
    outputs: [floatMatrix("scores", workflows)],
    constants: [
      { name: "one", dimensions: [1], values: Float32Array.of(1) },
      { name: "gamma", dimensions: [1], values: Float32Array.of(settings.gamma) },
      { name: "weights", dimensions: [parts, workflows], values: weights },
    ],
    nodes: [
      { operator: "Sub", inputs: ["similarities", "one"], outputs: ["distance"] },
      { operator: "Mul", inputs: ["distance", "gamma"], outputs: ["exponent"] },
      { operator: "Exp", inputs: ["exponent"], outputs: ["kernel"] },
      { operator: "MatMul", inputs: ["kernel", "weights"], outputs: ["scores"] },
    ],
  };
}

/** Word and character n-gram kernels over the catalog's own texts, with a closed-form head. */
export class LexicalRetriever implements Retriever {
  readonly version: string;
  readonly capability: LexicalRetrieverModel["capability"];
  private readonly index: ContractIndex;
  private readonly idRanks: Int32Array;
  private readonly head: LoadedModel;
  private readonly queryPrefix: string;

  private constructor(model: LexicalRetrieverModel, index: ContractIndex, head: LoadedModel) {
    this.version = model.version;
    this.capability = model.capability;
    this.index = index;
    this.idRanks = idRanksOf(index.workflowIds);
    this.head = head;
    this.queryPrefix = model.prefix.query;
  }

  /** Indexes the workflows and fits the head: seconds for thousands of catalog texts. */
  static async create(
    model: LexicalRetrieverModel,
    workflows: readonly Workflow[],
    pool: InferencePool,
  ): Promise<LexicalRetriever> {
    if (workflows.length === 0) throw new SluiceError("CATALOG_INVALID", "the catalog has no active workflow to index");
    requireFittable(workflows.flatMap(indexedPartsOf).length, workflows.length);
    const index = new ContractIndex(workflows, model.lexical, indexedKinds, model.prefix.document);
    const weights = fitRidgeHead(index, model.lexical);
    const head = await pool.load(plainGraph(onnxModel(headGraph(index, weights, model.lexical))));
    return new LexicalRetriever(model, index, head);
  }

  async rank(text: string, scope: RunScope): Promise<Ranking> {
    const { similarities } = this.index.similarities(this.queryPrefix + text);
    const input = { rows: 1, columns: similarities.length, values: new Float32Array(similarities) };
    const { matrix } = await this.head.run({ kind: "matrix", matrix: input }, scope);
    const { workflowIds } = this.index;
    return { workflowIds, idRanks: this.idRanks, scores: new Float64Array(matrix.values), truncated: false };
  }
}
