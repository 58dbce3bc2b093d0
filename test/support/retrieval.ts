/** The lexical retriever with its default settings, over given workflows. */
import type { Workflow } from "../../src/documents/catalog.js";
import type { LexicalRetrieverModel } from "../../src/documents/model.js";
import { bestPositions, idRanksOf } from "../../src/router/retrieval/best-positions.js";
import { HybridRetriever } from "../../src/router/retrieval/hybrid-retriever.js";
import { lexicalRetrieverModel } from "../../src/router/retrieval/load-retriever.js";
import type { Ranking } from "../../src/router/retrieval/retriever.js";

export function lexicalRetriever(
  workflows: readonly Workflow[],
  overrides: Partial<LexicalRetrieverModel> = {},
): Promise<HybridRetriever> {
  const model = { ...lexicalRetrieverModel, ...overrides };
  return HybridRetriever.create({ model, encoded: null }, workflows);
}

/** A ranking with the given scores, both in index order. */
export function rankScores(workflowIds: readonly string[], scores: Float64Array): Ranking {
  return { workflowIds, idRanks: idRanksOf(workflowIds), scores, truncated: false };
}

/** Ids of a ranking, best first. */
export const rankedIds = (ranking: Ranking): readonly string[] =>
  bestPositions(ranking, ranking.scores.length).map((position) => ranking.workflowIds[position] ?? "");

/** Scores of a ranking by id. */
export const scoresById = ({ workflowIds, scores }: Ranking): ReadonlyMap<string, number> =>
  new Map(workflowIds.map((id, position) => [id, scores[position] ?? Number.NaN]));
