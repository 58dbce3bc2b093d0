import type { RouteRequest } from "../../src/documents/request.js";
import type { RequestScorer, ScoredRequest } from "../../src/documents/router.js";
import { SluiceError } from "../../src/base/error.js";
import { aCandidate } from "./score-cases.js";

const unranked = { earlyReason: null, ranking: [], boundaryGap: null, textCut: false, pairsCut: 0 } as const;

/**
 * A small deterministic scorer: shared words of the text and the words of the workflow id.
 * A text with the word "fail" fails; later requests finish earlier, so completion order differs from row order.
 */
export class KeywordScorer implements RequestScorer {
  readonly seen: RouteRequest[] = [];
  #inFlight = 0;
  mostInFlight = 0;
  readonly #workflowIds: readonly string[];

  constructor(workflowIds: readonly string[]) {
    this.#workflowIds = workflowIds;
  }

  async score(request: RouteRequest): Promise<ScoredRequest> {
    this.seen.push(request);
    this.#inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
    try {
      for (let turn = 0; turn < 5 - (this.seen.length % 5); turn += 1) await Promise.resolve();
      return this.#scored(request);
    } finally {
      this.#inFlight -= 1;
    }
  }

  #scored(request: RouteRequest): ScoredRequest {
    const words = new Set(request.text.split(" "));
    if (words.has("fail")) throw new SluiceError("MODEL_RUN_FAILED", "the model failed");
    if (words.has("nan")) return { ...unranked, candidates: [aCandidate({ retrieval_score: Number.NaN })] };
    const scored = this.#workflowIds
      .map((workflowId) => ({ workflowId, shared: workflowId.split(".").filter((word) => words.has(word)).length }))
      .sort((a, b) => b.shared - a.shared || (a.workflowId < b.workflowId ? -1 : 1));
    return {
      ...unranked,
      candidates: scored.slice(0, 3).map(({ workflowId, shared }) =>
        aCandidate({
          workflow_id: workflowId,
          retrieval_score: shared === 0 ? -0 : shared / 3,
          probability: (shared + 1) / 4,
        }),
      ),
      ranking: scored.map(({ workflowId }) => workflowId),
    };
  }
}
