import type { Workflow } from "../../documents/catalog.js";
import type { LinearVerifierModel } from "../../documents/model.js";
import { logOddsOf } from "../retrieval/detector.js";
import type { CatalogIndex } from "../retrieval/hybrid-retriever.js";

/**
 * Distinguishes requests to search ("find a car") from requests to commit ("reserve a car"), by logistic regression
 * over sentence vectors. Values are in [-1, 1], above 0 for texts that commit; 0 without a detector.
 */
export class Commitments {
  /** Value for the name and description of each workflow; shape (workflows). */
  readonly workflows: Float64Array;
  /** Value declared by the contract: 1 for a workflow with a side effect, -1 for one that only reads. */
  readonly declared: Float64Array;
  private readonly detector: LinearVerifierModel["commitment"];

  constructor(workflows: readonly Workflow[], index: CatalogIndex, detector: LinearVerifierModel["commitment"]) {
    this.detector = detector;
    this.workflows = Float64Array.from(workflows, (_, position) => this.of(index.titleVector(position)));
    this.declared = Float64Array.from(workflows, ({ side_effect: sideEffect }) =>
      sideEffect === "read_only" ? -1 : 1,
    );
  }

  /** @param vector vector of a text, from the encoder that the detector was fitted on; null without an encoder */
  of(vector: Float32Array | null): number {
    const logOdds = logOddsOf(this.detector, vector);
    return logOdds === null ? 0 : Math.tanh(logOdds / 2);
  }
}
