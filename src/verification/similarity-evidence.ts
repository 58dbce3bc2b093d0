import type { Workflow } from "../domain/catalog.js";
import { unbounded } from "../domain/run-scope.js";
import type { TimeLeft } from "../inputs/bounded-text.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { rankOf } from "../retrieval/best-positions.js";
import type { IndexedRanking } from "../retrieval/hybrid-retriever.js";
import { similarityNames } from "../retrieval/similarity-index.js";
import type { Commitments } from "./commitment.js";
import { InputEvidence } from "./input-evidence.js";
import { largest, leads } from "./lead.js";
import { retrievalShare } from "./retrieval-share.js";
import { WorkflowStems } from "./stem-overlap.js";

const choices = [...similarityNames, "mixed"] as const;

/** Evidence of a candidate under each similarity: its value, and its margin over the best other workflow. */
const measures = ["head", "best", "three", "mean"] as const;

const measureColumns = choices.flatMap((choice) =>
  measures
    .filter((measure) => choice !== "mixed" || measure !== "head")
    .flatMap((measure) => [`${choice}_${measure}`, `${choice}_${measure}_lead`] as const),
);

/** Columns of the evidence of a (text, workflow) pair, in the order of the verifier graph's input. */
export const evidenceFeatures = [
  "score",
  "score_lead",
  "rank",
  "share",
  "best_score",
  "entropy",
  "agreement",
  ...measureColumns,
  "title_similarity",
  "best_similarity",
  "unknown_words",
  "words",
  "stem_coverage",
  "stem_coverage_lead",
  "excluded_stems",
  "unknown_stems",
  "inputs_required",
  "inputs_found",
  "inputs_missing",
  "input_rarity",
  "input_rarity_lead",
  "text_commits",
  "workflow_commits",
  "declared_commits",
  "commitment_agreement",
  "commitment_agreement_lead",
  "declared_agreement",
  "declared_agreement_lead",
] as const;

/** A measure of every workflow, and the lead of each over the best other one. */
interface Measured {
  readonly values: Float64Array;
  readonly lead: (position: number) => number;
}

const measured = (values: Float64Array): Measured => ({ values, lead: leads(values) });

/** A column: its value for the candidate at a position. */
type Column = (position: number) => number;

/** Evidence that a workflow is what a text asks for. Workflows follow the order of the ranking's `workflowIds`. */
export class SimilarityEvidence {
  readonly features: readonly string[] = evidenceFeatures;
  private readonly stems: WorkflowStems;
  private readonly inputs: InputEvidence;

  private readonly commitments: Commitments;

  constructor(workflows: readonly Workflow[], patterns: InputPatterns, commitments: Commitments) {
    this.stems = new WorkflowStems(workflows);
    this.inputs = new InputEvidence(workflows, patterns);
    this.commitments = commitments;
  }

  /**
   * @param positions  candidates, as positions in the ranking's `workflowIds`
   * @param timeLeft  for the input patterns; unbounded unless given
   * @returns shape (positions, features), row-major
   * @throws {SluiceError} PATTERNS_TIMED_OUT
   */
  of(
    text: string,
    ranking: IndexedRanking,
    positions: readonly number[],
    timeLeft: TimeLeft = unbounded,
  ): Float32Array {
    const columns = [
      ...rankingAndSimilarityColumns(ranking),
      ...this.stemColumns(text),
      ...this.inputColumns(text, timeLeft),
      ...this.commitmentColumns(ranking),
    ];
    const rows = new Float32Array(positions.length * columns.length);
    let cell = 0;
    for (const position of positions) {
      for (const column of columns) {
        rows[cell] = column(position);
        cell += 1;
      }
    }
    return rows;
  }

  private commitmentColumns({ similarities }: IndexedRanking): readonly Column[] {
    const { workflows, declared } = this.commitments;
    const text = this.commitments.of(similarities.vector);
    const agreement = measured(workflows.map((value) => value * text));
    const declaredAgreement = measured(declared.map((value) => value * text));
    return [() => text, at(workflows), at(declared), ...valueAndLead(agreement), ...valueAndLead(declaredAgreement)];
  }

  private stemColumns(text: string): readonly Column[] {
    const { covered, onlyExcluded, unknownShare } = this.stems.overlap(text);
    return [...valueAndLead(measured(covered)), at(onlyExcluded), () => unknownShare];
  }

  private inputColumns(text: string, timeLeft: TimeLeft): readonly Column[] {
    const { requiredFound, rarity } = this.inputs.of(text, timeLeft);
    const required = at(this.inputs.required);
    const found = at(requiredFound);
    return [required, found, (position) => required(position) - found(position), ...valueAndLead(measured(rarity))];
  }
}

const at =
  (values: Float64Array): Column =>
  (position) =>
    values[position];

const valueAndLead = ({ values, lead }: Measured): readonly Column[] => [at(values), lead];

function rankingAndSimilarityColumns(ranking: IndexedRanking): readonly Column[] {
  const { index, similarities, scores } = ranking;
  const heads = similarityNames.map((name) => index.scores(name, similarities));
  const { bestScore, share, entropy } = retrievalShare(scores);
  const { starts } = index.texts;
  const best = largest(similarities.mixed, 0);
  return [
    ...valueAndLead(measured(scores)),
    (position) => 1 / (1 + rankOf(ranking, position)),
    at(share),
    () => bestScore,
    () => entropy,
    at(votesOf(heads)),
    ...similarityNames.flatMap((name, place) => [
      ...valueAndLead(measured(heads[place] ?? new Float64Array())),
      ...closenessColumns(starts, similarities[name]),
    ]),
    ...closenessColumns(starts, similarities.mixed),
    (position) => similarities.mixed[starts[position]],
    () => best,
    () => similarities.unknownShare,
    () => Math.log1p(similarities.words),
  ];
}

/** Share of the heads that put a workflow first; shape (workflows). */
function votesOf(heads: readonly Float64Array[]): Float64Array {
  const votes = new Float64Array(heads[0]?.length ?? 0);
  for (const scores of heads) {
    let best = 0;
    for (let i = 1; i < scores.length; i += 1) if (scores[i] > scores[best]) best = i;
    votes[best] += 1 / heads.length;
  }
  return votes;
}

/** Best text, mean of the best three (a missing one counts 0) and mean of all texts of each workflow, with leads. */
function closenessColumns(starts: Int32Array, similarities: Float32Array): readonly Column[] {
  const workflows = starts.length - 1;
  const best = new Float64Array(workflows);
  const three = new Float64Array(workflows);
  const mean = new Float64Array(workflows);
  for (let workflow = 0; workflow < workflows; workflow += 1) {
    const from = starts[workflow];
    const to = starts[workflow + 1];
    let first = 0;
    let second = 0;
    let third = 0;
    let sum = 0;
    for (let text = from; text < to; text += 1) {
      const value = similarities[text];
      sum += value;
      if (value <= third) continue;
      if (value <= second) third = value;
      else {
        third = second;
        second = Math.min(value, first);
        first = Math.max(value, first);
      }
    }
    best[workflow] = first;
    three[workflow] = (first + second + third) / 3;
    mean[workflow] = sum / (to - from);
  }
  return [best, three, mean].flatMap((values) => valueAndLead(measured(values)));
}
