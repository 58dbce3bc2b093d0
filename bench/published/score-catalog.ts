import { scoreDataset } from "../../eval/score-dataset.js";
import type { Catalog } from "../../src/documents/catalog.js";
import { clusterOf, type LabelledRequest } from "../../src/documents/dataset.js";
import { defaultPolicy } from "../../src/documents/policy.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { Fold } from "../../src/documents/choices.js";
import { CandidateScorer } from "../../src/router/candidate-scorer.js";
import { loadModels, type ModelSources } from "../../src/router/load-models.js";

/** Requests for learning thresholds, and requests for testing them. */
export interface ProtocolRequests {
  readonly validation: readonly LabelledRequest[];
  readonly test: readonly LabelledRequest[];
}

/** Scored records of both parts, independent of thresholds. */
export interface ScoredProtocol {
  readonly validation: readonly ScoredRecord[];
  readonly test: readonly ScoredRecord[];
}

const inFlight = 8;

/** Scores every request over the whole catalog with the serving code and the default policy. */
export async function scoreCatalog(
  sources: ModelSources,
  catalog: Catalog,
  requests: ProtocolRequests,
): Promise<ScoredProtocol> {
  const models = await loadModels(catalog, sources, { workers: 1, queueLimit: 4096 });
  try {
    const scorer = new CandidateScorer({ catalog, policy: defaultPolicy, ...models, now: () => 0 });
    const score = (rows: readonly LabelledRequest[], fold: Fold) =>
      scoreDataset({
        rows,
        foldOf: new Map(rows.map((row) => [clusterOf(row), fold])),
        scorer,
        catalogVersion: catalog.catalog_version,
        workflowIds: catalog.workflows.map(({ workflow_id: workflowId }) => workflowId),
        concurrency: inFlight,
      });
    return { validation: await score(requests.validation, "certify"), test: await score(requests.test, "eval") };
  } finally {
    await models.close();
  }
}
