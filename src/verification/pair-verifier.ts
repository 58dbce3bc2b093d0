import type { RunScope } from "../domain/run-scope.js";
import type { VerifierLabel, PairEvidenceModel } from "../domain/model.js";
import type { TimeLeft } from "../inputs/bounded-text.js";
import { SluiceError } from "../errors/error.js";
import { plainGraph } from "../inference/plain-graph.js";
import type { InferencePool, LoadedModel } from "../inference/pool.js";
import type { Ranking } from "../retrieval/retriever.js";
import { evidenceFeatures, type PairEvidence } from "./pair-evidence.js";
import { type LabelMapping, labelMapping } from "./label-mapping.js";
import { readLogits } from "./read-logits.js";
import type { Verification, Verifier } from "./verifier.js";

/** Milliseconds that the catalog's patterns may hold the calling thread for one request. */
const patternLimitMs = 250;

/** Counts from now; unbounded where the scope is. */
function patternTime({ remainingMs }: RunScope): TimeLeft {
  const end = remainingMs() - patternLimitMs;
  return end === Number.POSITIVE_INFINITY ? { remainingMs } : { remainingMs: () => remainingMs() - Math.max(0, end) };
}

/** A small graph over lexical evidence of each pair: serves workflows that it was not fitted on. */
export class PairVerifier implements Verifier {
  readonly version: string;
  readonly capability: PairEvidenceModel["capability"];
  readonly labelOrder: readonly VerifierLabel[];
  private readonly mapping: LabelMapping;
  private readonly evidence: PairEvidence;
  private readonly graph: LoadedModel;

  private constructor(model: PairEvidenceModel, evidence: PairEvidence, graph: LoadedModel) {
    this.version = model.version;
    this.capability = model.capability;
    this.labelOrder = model.labelOrder;
    this.mapping = labelMapping(model.labelOrder);
    this.evidence = evidence;
    this.graph = graph;
  }

  /**
   * @param graph     bytes of the ONNX graph that the model names
   * @param evidence  over the workflows to serve, with the model's lexical settings
   * @throws {SluiceError} MODEL_INVALID when the model was made for other evidence, or its graph is malformed
   */
  static async create(
    model: PairEvidenceModel,
    graph: Uint8Array,
    evidence: PairEvidence,
    pool: InferencePool,
  ): Promise<PairVerifier> {
    if (model.features.join() !== evidenceFeatures.join()) {
      throw new SluiceError("MODEL_INVALID", "verifier: its evidence columns differ from those of this version", {
        hint: "Fit the verifier again: sluice model fit-lexical",
        details: { found: model.features, expected: evidenceFeatures },
      });
    }
    return new PairVerifier(model, evidence, await pool.load(plainGraph(graph)));
  }

  async verify(text: string, ranking: Ranking, positions: readonly number[], scope: RunScope): Promise<Verification> {
    const values = this.evidence.of(text, ranking, positions, patternTime(scope));
    const matrix = { rows: positions.length, columns: evidenceFeatures.length, values };
    return readLogits(await this.graph.run({ kind: "matrix", matrix }, scope), this.mapping);
  }
}
