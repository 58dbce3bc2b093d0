import { type RunScope, unbounded } from "../../documents/run-scope.js";
import type { LinearVerifierModel } from "../../documents/model.js";
import type { VerifierLabel } from "../../documents/choices.js";
import type { TimeLeft } from "../inputs/bounded-text.js";
import { patternBudget } from "../inputs/resolve.js";
import { command, say, SluiceError } from "../../base/error.js";
import { plainGraph } from "../../inference/onnx-graph.js";
import type { ModelHost } from "../../inference/models/local-models.js";
import type { Matrix, RowsOutput } from "../../inference/protocol.js";
import type { IndexedRanking } from "../retrieval/hybrid-retriever.js";
import { type LabelMapping, labelMapping } from "./label-mapping.js";
import { readLinearGraph, runLinearGraph } from "./linear-graph.js";
import { readLogits } from "./read-logits.js";
import type { SimilarityFeatures } from "./similarity-features.js";
import type { Verification, Verifier } from "./verifier.js";

/** Maximum CPU time in milliseconds for which the catalog's patterns may block the calling thread per request. */
const patternLimitMs = 250;

/**
 * Time limit of the pattern search. The deadline of the request does not end a search, because other requests may have
 * kept the thread busy.
 * @throws {SluiceError} DEADLINE_EXCEEDED if the deadline has already passed
 */
function patternTime({ remainingMs, clocks }: RunScope): TimeLeft {
  if (remainingMs() <= 0) {
    throw new SluiceError("DEADLINE_EXCEEDED", "the deadline of the request passed before verification");
  }
  return clocks === null ? unbounded : patternBudget(patternLimitMs, clocks);
}

type RunGraph = (features: Matrix, scope: RunScope) => Promise<RowsOutput>;

/**
 * Opens the model's graph. A linear graph is evaluated directly, because a model run costs more than its arithmetic;
 * other graphs are run as models.
 */
async function openGraph(bytes: Uint8Array, columns: number, pool: ModelHost): Promise<RunGraph> {
  const linear = readLinearGraph(bytes, columns);
  if (linear !== null)
    return async (features) => ({ kind: "rows", matrix: runLinearGraph(linear, features), truncatedRows: 0 });
  const graph = await pool.load(plainGraph(bytes));
  return (matrix, scope) => graph.run({ kind: "matrix", matrix }, scope);
}

/** A small graph over the features of each pair; works for workflows that it was not fitted on. */
export class LinearVerifier implements Verifier {
  readonly version: string;
  readonly capability: LinearVerifierModel["capability"];
  readonly labelOrder: readonly VerifierLabel[];
  private readonly mapping: LabelMapping;
  private readonly features: SimilarityFeatures;
  private readonly run: RunGraph;

  private constructor(model: LinearVerifierModel, features: SimilarityFeatures, run: RunGraph) {
    this.version = model.version;
    this.capability = model.capability;
    this.labelOrder = model.label_order;
    this.mapping = labelMapping(model.label_order);
    this.features = features;
    this.run = run;
  }

  /**
   * @param graph     bytes of the ONNX graph that the model names
   * @param features  of texts and the workflows to serve
   * @throws {SluiceError} MODEL_INVALID if the model was made for different features, or its graph is malformed
   */
  static async create(
    model: LinearVerifierModel,
    graph: Uint8Array,
    features: SimilarityFeatures,
    pool: ModelHost,
  ): Promise<LinearVerifier> {
    if (model.features.join() !== features.names.join()) {
      throw new SluiceError("MODEL_INVALID", "verifier: its features differ from those of this version", {
        hint: say`Fit the verifier again: ${command`sluice model fit`}`,
        details: { found: model.features, expected: features.names },
      });
    }
    return new LinearVerifier(model, features, await openGraph(graph, model.features.length, pool));
  }

  async verify(
    text: string,
    ranking: IndexedRanking,
    positions: readonly number[],
    scope: RunScope,
  ): Promise<Verification> {
    const { names } = this.features;
    const { values, patterns } = this.features.of(text, ranking, positions, patternTime(scope));
    const matrix = { rows: positions.length, columns: names.length, values };
    return { ...readLogits(await this.run(matrix, scope), this.mapping), features: { names, values }, patterns };
  }
}
