/** The lexical retriever with its default settings, over given workflows. */
import { toCamel } from "../../src/domain/camel.js";
import type { Workflow } from "../../src/domain/catalog.js";
import type { LexicalRetrieverModel } from "../../src/domain/model.js";
import type { InferencePool } from "../../src/inference/pool.js";
import { LexicalRetriever } from "../../src/retrieval/lexical/lexical-retriever.js";
import { bestPositions, idRanksOf } from "../../src/retrieval/best-positions.js";
import type { Ranking } from "../../src/retrieval/retriever.js";
import { defaultLexicalSettings, lexicalRetrieverModel } from "../../src/retrieval/lexical/lexical-model.js";

export function lexicalRetriever(
  workflows: readonly Workflow[],
  pool: InferencePool,
  overrides: Partial<LexicalRetrieverModel> = {},
): Promise<LexicalRetriever> {
  const model = toCamel(lexicalRetrieverModel(defaultLexicalSettings));
  return LexicalRetriever.create({ ...model, ...overrides }, workflows, pool);
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
