import type { Workflow } from "../domain/catalog.js";
import { unbounded } from "../domain/run-scope.js";
import { SluiceError } from "../errors/error.js";
import type { TimeLeft } from "../inputs/bounded-text.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { rankOf, type Scores } from "../retrieval/best-positions.js";
import { kernelNames } from "../retrieval/kernels/text-kernels.js";
import type { Ranking, RankingKernels } from "../retrieval/retriever.js";
import type { Evidence } from "./evidence.js";
import { InputEvidence } from "./input-evidence.js";
import { largest, leads } from "./lead.js";
import { retrievalShare } from "./retrieval-share.js";
import { WorkflowStems } from "./stem-overlap.js";

/** Evidence of a candidate under each similarity: its value, and its lead over the best other workflow. */
const kernelMeasures = ["head", "best", "three", "mean"] as const;

const measureColumns = [...kernelNames, "mixed" as const].flatMap((kernel) =>
  kernelMeasures
    .filter((measure) => kernel !== "mixed" || measure !== "head")
    .flatMap((measure) => [`${kernel}_${measure}`, `${kernel}_${measure}_lead`] as const),
);

/** Columns of the evidence of a (text, workflow) pair, in the order of the verifier graph's input. */
export const kernelEvidenceFeatures = [
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
] as const;

/** A measure of every workflow, and the lead of each over the best other one. */
interface Measured {
  readonly values: Float64Array;
  readonly lead: (position: number) => number;
}

const measured = (values: Float64Array): Measured => ({ values, lead: leads(values) });

/** A column: its value for the candidate at a position. */
type Column = (position: number) => number;

/** Evidence of the word-kernel index that made the ranking, with words and inputs. */
export class KernelEvidence implements Evidence {
  readonly features = kernelEvidenceFeatures;
  private readonly stems: WorkflowStems;
  private readonly inputs: InputEvidence;

  constructor(workflows: readonly Workflow[], patterns: InputPatterns) {
    this.stems = new WorkflowStems(workflows);
    this.inputs = new InputEvidence(workflows, patterns);
  }

  of(text: string, ranking: Ranking, positions: readonly number[], timeLeft: TimeLeft = unbounded): Float32Array {
    const kernels = requireKernels(ranking);
    const { index, ranked, similarities } = kernels;
    const heads = index.singleScores(similarities);
    const columns = [
      ...rankingColumns(ranked, heads),
      ...similarityColumns(kernels, heads),
      ...this.stemColumns(text),
      ...this.inputColumns(text, timeLeft),
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

function requireKernels({ kernels }: Ranking): RankingKernels {
  if (kernels !== undefined) return kernels;
  throw new SluiceError("MODEL_INVALID", "a verifier of kind kernel_evidence reads the rankings of word kernels only", {
    hint: "Use the retriever that the verifier was fitted with, or another verifier.",
  });
}

function rankingColumns(ranking: Scores, heads: readonly Float64Array[]): readonly Column[] {
  const { bestScore, share, entropy } = retrievalShare(ranking.scores);
  const votes = votesOf(heads);
  return [
    ...valueAndLead(measured(ranking.scores)),
    (position) => 1 / (1 + rankOf(ranking, position)),
    at(share),
    () => bestScore,
    () => entropy,
    at(votes),
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

function similarityColumns({ index, similarities }: RankingKernels, heads: readonly Float64Array[]): readonly Column[] {
  const { starts } = index.texts;
  const columns = kernelNames.flatMap((name, kernel) => [
    ...valueAndLead(measured(heads[kernel] ?? new Float64Array())),
    ...closenessColumns(starts, similarities[name]),
  ]);
  const best = largest(similarities.mixed, 0);
  return [
    ...columns,
    ...closenessColumns(starts, similarities.mixed),
    (position) => similarities.mixed[starts[position]],
    () => best,
    () => similarities.unknownShare,
    () => Math.log1p(similarities.words),
  ];
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
