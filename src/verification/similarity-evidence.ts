import type { Workflow } from "../domain/catalog.js";
import { unbounded } from "../domain/run-scope.js";
import type { TimeLeft } from "../inputs/bounded-text.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { rankOf } from "../retrieval/best-positions.js";
import type { IndexedRanking } from "../retrieval/hybrid-retriever.js";
import { similarityNames } from "../retrieval/similarity-index.js";
import type { Commitments } from "./commitment.js";
import { InputEvidence } from "./input-evidence.js";
import { bestTwo, largest, leadOver } from "./lead.js";
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

/** Fills the columns of evidence rows, one column for all candidates after another. */
class EvidenceRowsBuilder {
  /** Shape (candidates, features), row-major. */
  readonly rows: Float32Array;
  private readonly candidates: readonly number[];
  private column = 0;

  /** @param candidates  positions of workflows */
  constructor(candidates: readonly number[]) {
    this.candidates = candidates;
    this.rows = new Float32Array(candidates.length * evidenceFeatures.length);
  }

  constant(value: number): void {
    for (let row = 0; row < this.candidates.length; row += 1) this.set(row, value);
    this.column += 1;
  }

  /** @param values  shape (workflows) */
  values(values: Float64Array): void {
    for (let row = 0; row < this.candidates.length; row += 1) this.set(row, values[this.candidates[row]]);
    this.column += 1;
  }

  /** Values, and in the next column what each is ahead of the best other workflow. */
  valuesAndLeads(values: Float64Array): void {
    this.values(values);
    const best = bestTwo(values);
    for (let row = 0; row < this.candidates.length; row += 1) {
      this.set(row, leadOver(best, values, this.candidates[row]));
    }
    this.column += 1;
  }

  each(valueOf: (position: number) => number): void {
    for (let row = 0; row < this.candidates.length; row += 1) this.set(row, valueOf(this.candidates[row]));
    this.column += 1;
  }

  private set(row: number, value: number): void {
    this.rows[row * evidenceFeatures.length + this.column] = value;
  }
}

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
    const into = new EvidenceRowsBuilder(positions);
    addRankingAndSimilarities(into, ranking);
    this.addStems(into, text);
    this.addInputs(into, text, timeLeft);
    this.addCommitments(into, ranking);
    return into.rows;
  }

  private addStems(into: EvidenceRowsBuilder, text: string): void {
    const { covered, onlyExcluded, unknownShare } = this.stems.overlap(text);
    into.valuesAndLeads(covered);
    into.values(onlyExcluded);
    into.constant(unknownShare);
  }

  private addInputs(into: EvidenceRowsBuilder, text: string, timeLeft: TimeLeft): void {
    const { required } = this.inputs;
    const { requiredFound, rarity } = this.inputs.of(text, timeLeft);
    into.values(required);
    into.values(requiredFound);
    into.each((position) => required[position] - requiredFound[position]);
    into.valuesAndLeads(rarity);
  }

  private addCommitments(into: EvidenceRowsBuilder, { similarities }: IndexedRanking): void {
    const { workflows, declared } = this.commitments;
    const text = this.commitments.of(similarities.vector);
    into.constant(text);
    into.values(workflows);
    into.values(declared);
    for (const values of [workflows, declared]) into.valuesAndLeads(values.map((value) => value * text));
  }
}

function addRankingAndSimilarities(into: EvidenceRowsBuilder, ranking: IndexedRanking): void {
  const { index, similarities, scores } = ranking;
  const heads = similarityNames.map((name) => index.scores(name, similarities));
  const { bestScore, share, entropy } = retrievalShare(scores);
  const { starts } = index.texts;
  into.valuesAndLeads(scores);
  into.each((position) => 1 / (1 + rankOf(ranking, position)));
  into.values(share);
  into.constant(bestScore);
  into.constant(entropy);
  into.values(votesOf(heads));
  for (const [place, name] of similarityNames.entries()) {
    into.valuesAndLeads(heads[place] ?? new Float64Array());
    addCloseness(into, starts, similarities[name]);
  }
  addCloseness(into, starts, similarities.mixed);
  into.each((position) => similarities.mixed[starts[position]]);
  into.constant(largest(similarities.mixed, 0));
  into.constant(similarities.unknownShare);
  into.constant(Math.log1p(similarities.words));
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
function addCloseness(into: EvidenceRowsBuilder, starts: Int32Array, similarities: Float32Array): void {
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
  for (const values of [best, three, mean]) into.valuesAndLeads(values);
}
