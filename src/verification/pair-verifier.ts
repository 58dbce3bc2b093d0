import type { Workflow } from "../domain/catalog.js";
import type { ScoredCandidate } from "../domain/decision.js";
import type { VerifierLabel, VerifierModel } from "../domain/model.js";
import { SluiceError } from "../errors/error.js";
import type { InferencePool, LoadedModel } from "../inference/pool.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import type { ModelFiles } from "../retrieval/load-retriever.js";
import type { Ranking } from "../retrieval/retriever.js";
import { evidenceFeatures, PairEvidence } from "./pair-evidence.js";
import type { Verifier } from "./verifier.js";

type Logits = ScoredCandidate["logits"];

/** A small graph over lexical evidence of each pair: serves workflows that it was not fitted on. */
export class PairVerifier implements Verifier {
  readonly version: string;
  readonly capability: VerifierModel["capability"];
  readonly labelOrder: readonly VerifierLabel[];
  private readonly evidence: PairEvidence;
  private readonly graph: LoadedModel;

  private constructor(model: VerifierModel, evidence: PairEvidence, graph: LoadedModel) {
    this.version = model.version;
    this.capability = model.capability;
    this.labelOrder = model.labelOrder;
    this.evidence = evidence;
    this.graph = graph;
  }

  /** @throws {SluiceError} MODEL_INVALID when the directory was made for other evidence, or lacks its graph */
  static async create(
    model: VerifierModel,
    files: ModelFiles,
    workflows: readonly Workflow[],
    patterns: InputPatterns,
    pool: InferencePool,
  ): Promise<PairVerifier> {
    if (model.features.join() !== evidenceFeatures.join()) {
      throw new SluiceError("MODEL_INVALID", "verifier: its evidence columns differ from those of this version", {
        hint: "Fit the verifier again: sluice model fit-lexical",
        details: { found: model.features, expected: evidenceFeatures },
      });
    }
    const bytes = files.get(model.graph);
    if (bytes === undefined) throw new SluiceError("MODEL_INVALID", `verifier directory: no ${model.graph}`);
    const evidence = new PairEvidence(workflows, model.lexical, patterns);
    return new PairVerifier(model, evidence, await pool.load(bytes));
  }

  async verify(text: string, ranking: Ranking, positions: readonly number[]): Promise<readonly Logits[]> {
    const values = this.evidence.of(text, ranking, positions);
    const input = { rows: positions.length, columns: evidenceFeatures.length, values };
    const output = await this.graph.run(input);
    if (output.columns !== this.labelOrder.length) {
      throw new SluiceError("MODEL_RUN_FAILED", `verifier output has ${output.columns} columns, 3 were expected`);
    }
    const column = (row: number, label: VerifierLabel): number =>
      output.values[row * output.columns + this.labelOrder.indexOf(label)] ?? 0;
    return positions.map((_, row) => ({
      mismatch: column(row, "mismatch"),
      needsInput: column(row, "needs_input"),
      executable: column(row, "executable"),
    }));
  }
}
