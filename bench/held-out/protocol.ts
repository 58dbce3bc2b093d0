import { readFileSync } from "node:fs";
import { scoreDataset } from "../../eval/score-dataset.js";
import type { Catalog } from "../../src/documents/catalog.js";
import { clusterOf, type LabelledRequest } from "../../src/documents/dataset.js";
import { defaultPolicy } from "../../src/documents/policy.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { CandidateScorer } from "../../src/router/candidate-scorer.js";
import { loadModels, type ModelSources } from "../../src/router/load-models.js";

/** A catalog and requests that are routed over the whole catalog. */
export interface Protocol {
  readonly catalog: Catalog;
  readonly rows: readonly LabelledRequest[];
  /** Workflows that are not in the catalog; their requests are near out of scope. */
  readonly removed: ReadonlySet<string>;
}

const inFlight = 8;

/**
 * Scores every request with the serving code and the default policy; records are in row order.
 * @param loaded  called after the models are loaded, before the first request
 */
export async function scoreProtocol(
  sources: ModelSources,
  protocol: Protocol,
  loaded: () => void = () => undefined,
): Promise<readonly ScoredRecord[]> {
  const { catalog, rows, removed } = protocol;
  const models = await loadModels(catalog, sources, { workers: 1, queueLimit: 4096 });
  loaded();
  try {
    return await scoreDataset({
      rows,
      foldOf: new Map(rows.map((row) => [clusterOf(row), "eval"])),
      removedWorkflows: removed,
      scorer: new CandidateScorer({ catalog, policy: defaultPolicy, ...models, now: () => 0 }),
      catalogVersion: catalog.catalog_version,
      workflowIds: catalog.workflows.map(({ workflow_id: workflowId }) => workflowId),
      concurrency: inFlight,
    });
  } finally {
    await models.close();
  }
}

/** Reads a JSON Lines file. */
export function jsonLinesOf<T>(file: string): readonly T[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

/** The first `most` items of each group, in the given order. */
export function atMost<T>(items: readonly T[], most: number, groupOf: (item: T) => string): readonly T[] {
  const taken = new Map<string, number>();
  return items.filter((item) => {
    const group = groupOf(item);
    const count = taken.get(group) ?? 0;
    taken.set(group, count + 1);
    return count < most;
  });
}
