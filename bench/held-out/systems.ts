import { identityCurve } from "../../src/router/policy/calibrator-curve.js";
import { Bm25Retriever } from "../../eval/baselines/bm25.js";
import { answerOfRecord, answerOfRetriever, type RankedAnswer } from "../../eval/baselines/ranked-answer.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import type { ModelSources } from "../../src/router/load-models.js";
import { HybridRetriever } from "../../src/router/retrieval/hybrid-retriever.js";
import { lexicalRetrieverModel } from "../../src/router/retrieval/load-retriever.js";
import { type Protocol, scoreProtocol } from "./protocol.js";

/** Models to measure, with a note for the printed results. */
export interface Checkpoint {
  readonly name: string;
  readonly sources: ModelSources;
}

/** The answers of one system and, if it has a verifier, of its retriever alone. */
export interface SystemAnswers {
  readonly name: string;
  readonly answers: readonly RankedAnswer[];
  readonly retriever: readonly RankedAnswer[] | null;
}

/** The answers of BM25, the lexical retriever and every checkpoint to the requests of a protocol, in this order. */
export async function answersOf(
  protocol: Protocol,
  checkpoints: readonly Checkpoint[],
): Promise<readonly SystemAnswers[]> {
  const systems: SystemAnswers[] = [];
  let records: readonly ScoredRecord[] = [];
  for (const { name, sources } of checkpoints) {
    records = await scoreProtocol(sources, protocol);
    systems.push({
      name,
      answers: records.map((record) => answerOfRecord(record, identityCurve)),
      retriever: records.map(answerOfItsRetriever),
    });
  }
  return [...(await baselineAnswers(protocol, records)), ...systems];
}

async function baselineAnswers(
  { catalog: { workflows }, rows }: Protocol,
  records: readonly ScoredRecord[],
): Promise<readonly SystemAnswers[]> {
  const systems: SystemAnswers[] = [];
  const lexical = await HybridRetriever.create({ model: lexicalRetrieverModel, encoded: null }, workflows);
  const baselines = [
    { name: "BM25", retriever: new Bm25Retriever(workflows) },
    { name: "Lexical", retriever: lexical },
  ];
  for (const { name, retriever } of baselines) {
    const answers: RankedAnswer[] = [];
    for (const [index, record] of records.entries()) {
      answers.push(await answerOfRetriever(retriever, record, rows[index] ?? { text: "" }));
    }
    systems.push({ name, answers, retriever: null });
  }
  return systems;
}

/** The retriever's answer in a record over the whole catalog, whose candidates are in retrieval order. */
function answerOfItsRetriever(record: ScoredRecord): RankedAnswer {
  return {
    ...answerOfRecord(record, identityCurve),
    right: record.gold_rank === 1,
    score: record.candidates[0]?.retrieval_score ?? 0,
  };
}
