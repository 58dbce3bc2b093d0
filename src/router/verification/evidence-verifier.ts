import { type RunScope, unbounded } from "../../documents/run-scope.js";
import type { EvidenceVerifierModel } from "../../documents/model.js";
import type { VerifierLabel } from "../../documents/choices.js";
import type { TimeLeft } from "../inputs/bounded-text.js";
import { patternBudget } from "../inputs/resolve.js";
import { SluiceError } from "../../base/error.js";
import { plainGraph } from "../../inference/plain-graph.js";
import type { ModelHost } from "../../inference/model-host.js";
import type { Matrix, RowsOutput } from "../../inference/protocol.js";
import type { IndexedRanking } from "../retrieval/hybrid-retriever.js";
import { type LabelMapping, labelMapping } from "./label-mapping.js";
import { readLinearGraph, runLinearGraph } from "./linear-graph.js";
import { readLogits } from "./read-logits.js";
import type { SimilarityEvidence } from "./similarity-evidence.js";
import type { Verification, Verifier } from "./verifier.js";

/** Milliseconds of processor time that the catalog's patterns may hold the calling thread for one request. */
const patternLimitMs = 250;

/**
 * The deadline of the request does not end a search: a text is not to blame for a thread that was busy with others.
 * @throws {SluiceError} DEADLINE_EXCEEDED when nothing is left to search for
 */
function patternTime({ remainingMs, clocks }: RunScope): TimeLeft {
  if (remainingMs() <= 0) {
    throw new SluiceError("DEADLINE_EXCEEDED", "the deadline of the request passed before verification");
  }
  return clocks === null ? unbounded : patternBudget(patternLimitMs, clocks);
}

/** Rows of a graph's output for rows of evidence. */
type RunGraph = (evidence: Matrix, scope: RunScope) => Promise<RowsOutput>;

/** A model run costs more than all the numbers of a linear graph, so only other graphs need one. */
async function openGraph(bytes: Uint8Array, columns: number, pool: ModelHost): Promise<RunGraph> {
  const linear = readLinearGraph(bytes, columns);
  if (linear !== null)
    return async (evidence) => ({ kind: "rows", matrix: runLinearGraph(linear, evidence), truncatedRows: 0 });
  const graph = await pool.load(plainGraph(bytes));
  return (matrix, scope) => graph.run({ kind: "matrix", matrix }, scope);
}

/** A small graph over evidence of each pair: serves workflows that it was not fitted on. */
export class EvidenceVerifier implements Verifier {
  readonly version: string;
  readonly capability: EvidenceVerifierModel["capability"];
  readonly labelOrder: readonly VerifierLabel[];
  private readonly mapping: LabelMapping;
  private readonly evidence: SimilarityEvidence;
  private readonly run: RunGraph;

  private constructor(model: EvidenceVerifierModel, evidence: SimilarityEvidence, run: RunGraph) {
    this.version = model.version;
    this.capability = model.capability;
    this.labelOrder = model.label_order;
    this.mapping = labelMapping(model.label_order);
    this.evidence = evidence;
    this.run = run;
  }

  /**
   * @param graph     bytes of the ONNX graph that the model names
   * @param evidence  over the workflows to serve, as the model's kind asks for
   * @throws {SluiceError} MODEL_INVALID when the model was made for other evidence, or its graph is malformed
   */
  static async create(
    model: EvidenceVerifierModel,
    graph: Uint8Array,
    evidence: SimilarityEvidence,
    pool: ModelHost,
  ): Promise<EvidenceVerifier> {
    if (model.features.join() !== evidence.features.join()) {
      throw new SluiceError("MODEL_INVALID", "verifier: its evidence columns differ from those of this version", {
        hint: "Fit the verifier again: sluice model fit",
        details: { found: model.features, expected: evidence.features },
      });
    }
    return new EvidenceVerifier(model, evidence, await openGraph(graph, model.features.length, pool));
  }

  async verify(
    text: string,
    ranking: IndexedRanking,
    positions: readonly number[],
    scope: RunScope,
  ): Promise<Verification> {
    const { features } = this.evidence;
    const { values, patterns } = this.evidence.of(text, ranking, positions, patternTime(scope));
    const matrix = { rows: positions.length, columns: features.length, values };
    return { ...readLogits(await this.run(matrix, scope), this.mapping), evidence: { features, values }, patterns };
  }
}
