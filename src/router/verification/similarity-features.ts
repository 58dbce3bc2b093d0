import type { Workflow, ResolvableInput } from "../../documents/catalog.js";
import type { LinearVerifierModel } from "../../documents/model.js";
import { unbounded } from "../../documents/run-scope.js";
import type { TimeLeft } from "../inputs/bounded-text.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { bestPositions, rankOf } from "../retrieval/best-positions.js";
import type { CatalogIndex, Closeness, IndexedRanking } from "../retrieval/hybrid-retriever.js";
import { similarityNames } from "../retrieval/similarity-index.js";
import { Commitments } from "./commitment.js";
import { WorkflowStems } from "./stem-overlap.js";

/** Pattern matches in a text, by workflow of a catalog; each list has shape (workflows). */
interface FoundInputs {
  readonly requiredFound: Float64Array;
  /** How distinctive the matching inputs are: the sum of -ln(share of workflows with the same pattern). */
  readonly rarity: Float64Array;
}

interface DeclaredInput {
  readonly workflow: number;
  readonly required: boolean;
}

/** A distinct pattern with all its declarations. */
interface SharedPattern {
  readonly rarity: number;
  readonly declarations: readonly DeclaredInput[];
}

export class InputFeatures {
  /** Number of required inputs of each workflow, with or without a pattern. */
  readonly required: Float64Array;
  private readonly patterns: InputPatterns;
  private readonly distinct: ReadonlyMap<string, SharedPattern>;

  constructor(workflows: readonly Workflow[], patterns: InputPatterns) {
    this.required = Float64Array.from(workflows, (workflow) => workflow.required_inputs.length);
    this.patterns = patterns;
    this.distinct = distinctPatterns(workflows, patterns);
  }

  /**
   * Searches the text and writes the matches.
   * @returns the patterns that find a value
   * @throws {SluiceError} PATTERNS_TIMED_OUT instead of incomplete features, so that equal texts give equal features
   */
  write(text: string, timeLeft: TimeLeft, { requiredFound, rarity }: FoundInputs): readonly string[] {
    requiredFound.fill(0);
    rarity.fill(0);
    const found = this.patterns.found(text, timeLeft);
    for (const pattern of found) {
      const shared = this.distinct.get(pattern);
      for (const { workflow, required } of shared?.declarations ?? []) {
        rarity[workflow] += shared?.rarity ?? 0;
        if (required) requiredFound[workflow] += 1;
      }
    }
    return found;
  }
}

function distinctPatterns(workflows: readonly Workflow[], patterns: InputPatterns): ReadonlyMap<string, SharedPattern> {
  const byPattern = new Map<string, { input: ResolvableInput; declarations: DeclaredInput[] }>();
  const declare = (input: ResolvableInput, declaration: DeclaredInput): void => {
    if (input.pattern === null) return;
    const known = byPattern.get(input.pattern);
    if (known === undefined) byPattern.set(input.pattern, { input, declarations: [declaration] });
    else known.declarations.push(declaration);
  };
  for (const [workflow, { required_inputs: requiredInputs, optional_inputs: optionalInputs }] of workflows.entries()) {
    for (const input of requiredInputs) declare(input, { workflow, required: true });
    for (const input of optionalInputs) declare(input, { workflow, required: false });
  }
  return new Map(
    [...byPattern].map(([pattern, { input, declarations }]) => [
      pattern,
      { declarations, rarity: -Math.log(patterns.commonness(input)) },
    ]),
  );
}

/** Sharpness of the softmax over retrieval scores, which are roughly in [0, 1]. */
const shareSharpness = 10;

/**
 * Writes the softmax of the scores over the whole catalog.
 * @param share  shape (workflows)
 * @returns the best score, and the entropy of the softmax in nats
 */
function writeRetrievalShare(
  scores: Float64Array,
  share: Float64Array,
): { readonly bestScore: number; readonly entropy: number } {
  const bestScore = largest(scores, Number.NEGATIVE_INFINITY);
  let total = 0;
  for (let i = 0; i < share.length; i += 1) {
    const weight = Math.exp(shareSharpness * (scores[i] - bestScore));
    share[i] = weight;
    total += weight;
  }
  let entropy = 0;
  for (let i = 0; i < share.length; i += 1) {
    const p = share[i] / total;
    share[i] = p;
    if (p > 0) entropy -= p * Math.log(p);
  }
  return { bestScore, entropy };
}

const choices = [...similarityNames, "mixed"] as const;

/** What is measured of a candidate under each similarity: its value, and its lead over the best other workflow. */
const measures = ["head", "best", "three", "mean"] as const;

const measureColumns = choices.flatMap((choice) =>
  measures
    .filter((measure) => choice !== "mixed" || measure !== "head")
    .flatMap((measure) => [`${choice}_${measure}`, `${choice}_${measure}_lead`] as const),
);

/** Names of the features of a (text, workflow) pair, in the order of the verifier graph's input. */
export const featureNames = [
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

/** Buffers for values of a text by workflow, reused for the next text; each has shape (workflows). */
interface Scratch extends Readonly<Record<"share" | "first" | "second", Float64Array>> {}

function scratchFor(workflows: number): Scratch {
  const room = (): Float64Array => new Float64Array(workflows);
  return { share: room(), first: room(), second: room() };
}

/** Fills the columns of feature rows, one column at a time for all candidates. */
class FeatureRowsBuilder {
  /** Shape (candidates, features), row-major. */
  readonly rows: Float32Array;
  private readonly candidates: readonly number[];
  private column = 0;

  /** @param candidates  positions of workflows */
  constructor(candidates: readonly number[]) {
    this.candidates = candidates;
    this.rows = new Float32Array(candidates.length * featureNames.length);
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

  /** Writes the values and, in the next column, the lead of each over the best other workflow. */
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
    this.rows[row * featureNames.length + this.column] = value;
  }
}

interface TextFeatures {
  /** Shape (candidates, features), row-major. */
  readonly values: Float32Array;
  /** Patterns of the catalog that find a value in the text. */
  readonly patterns: readonly string[];
}

/** Features that tell whether a text requests a workflow. Workflows are in the order of the ranking's `workflowIds`. */
export class SimilarityFeatures {
  readonly names: readonly string[] = featureNames;
  private readonly stems: WorkflowStems;
  private readonly inputs: InputFeatures;
  private readonly commitments: Commitments;
  private readonly scratch: Scratch;

  /** @param index index of the workflows */
  constructor(
    workflows: readonly Workflow[],
    index: CatalogIndex,
    patterns: InputPatterns,
    detector: LinearVerifierModel["commitment"],
  ) {
    this.stems = new WorkflowStems(workflows, index);
    this.inputs = new InputFeatures(workflows, patterns);
    this.commitments = new Commitments(workflows, index, detector);
    this.scratch = scratchFor(workflows.length);
  }

  /**
   * @param positions  candidates, as positions in the ranking's `workflowIds`
   * @param timeLeft  time limit of the input patterns; none by default
   * @throws {SluiceError} PATTERNS_TIMED_OUT
   */
  of(
    text: string,
    ranking: IndexedRanking,
    positions: readonly number[],
    timeLeft: TimeLeft = unbounded,
  ): TextFeatures {
    const into = new FeatureRowsBuilder(positions);
    addRankingAndSimilarities(into, ranking, competitors(ranking, positions), this.scratch);
    this.addStems(into, ranking.similarities.written);
    const patterns = this.addInputs(into, text, timeLeft);
    this.addCommitments(into, ranking);
    return { values: into.rows, patterns };
  }

  private addStems(into: FeatureRowsBuilder, words: readonly string[]): void {
    const { first: covered, second: onlyExcluded } = this.scratch;
    const unknownShare = this.stems.writeOverlap(words, { covered, onlyExcluded });
    into.valuesAndLeads(covered);
    into.values(onlyExcluded);
    into.constant(unknownShare);
  }

  private addInputs(into: FeatureRowsBuilder, text: string, timeLeft: TimeLeft): readonly string[] {
    const { required } = this.inputs;
    const { first: requiredFound, second: rarity } = this.scratch;
    const patterns = this.inputs.write(text, timeLeft, { requiredFound, rarity });
    into.values(required);
    into.values(requiredFound);
    into.each((position) => required[position] - requiredFound[position]);
    into.valuesAndLeads(rarity);
    return patterns;
  }

  private addCommitments(into: FeatureRowsBuilder, { similarities }: IndexedRanking): void {
    const { workflows, declared } = this.commitments;
    const text = this.commitments.of(similarities.vector);
    into.constant(text);
    into.values(workflows);
    into.values(declared);
    const { first: agreement } = this.scratch;
    for (const values of [workflows, declared]) {
      for (let i = 0; i < values.length; i += 1) agreement[i] = values[i] * text;
      into.valuesAndLeads(agreement);
    }
  }
}

/**
 * Up to this catalog size, every workflow is measured under every similarity; in a larger catalog, only this many of
 * the best.
 */
const mostMeasured = 1024;
const bestMeasured = 256;

/** Positions of the workflows that candidates are compared with. */
function competitors(ranking: IndexedRanking, candidates: readonly number[]): Int32Array {
  const { positions } = ranking.index;
  if (positions.length <= mostMeasured) return positions;
  return ranking.index.among(new Set([...bestPositions(ranking, bestMeasured), ...candidates]));
}

function addRankingAndSimilarities(
  into: FeatureRowsBuilder,
  ranking: IndexedRanking,
  workflows: Int32Array,
  { share }: Scratch,
): void {
  const { index, similarities, scores } = ranking;
  const { starts } = index.texts;
  const heads = {
    encoder: index.scores("encoder", similarities, workflows),
    lexical: index.scores("lexical", similarities, workflows),
  };
  const closeness = index.closeness(similarities, workflows);
  const { bestScore, entropy } = writeRetrievalShare(scores, share);
  into.valuesAndLeads(scores);
  into.each((position) => 1 / (1 + rankOf(ranking, position)));
  into.values(share);
  into.constant(bestScore);
  into.constant(entropy);
  const winners = similarityNames.map((name) => bestTwo(heads[name]).position);
  into.each((workflow) => winners.filter((position) => position === workflow).length / winners.length);
  for (const name of similarityNames) {
    into.valuesAndLeads(heads[name]);
    addCloseness(into, closeness[name]);
  }
  addCloseness(into, closeness.mixed);
  into.each((position) => similarities.mixed[starts[position]]);
  into.constant(largest(similarities.mixed, 0));
  into.constant(similarities.unknownShare);
  into.constant(Math.log1p(similarities.words));
}

function addCloseness(into: FeatureRowsBuilder, { best, three, mean }: Closeness): void {
  for (const values of [best, three, mean]) into.valuesAndLeads(values);
}

/** The largest of the values, but at least `least`. */
function largest(values: Float32Array | Float64Array, least: number): number {
  let most = least;
  for (let i = 0; i < values.length; i += 1) if (values[i] > most) most = values[i];
  return most;
}

/** The largest and the second largest value. */
interface BestTwo {
  readonly best: number;
  readonly position: number;
  readonly second: number;
}

function bestTwo(values: Float64Array): BestTwo {
  let best = Number.NEGATIVE_INFINITY;
  let second = Number.NEGATIVE_INFINITY;
  let position = -1;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i];
    if (value > best) {
      second = best;
      best = value;
      position = i;
    } else if (value > second) second = value;
  }
  return { best, position, second };
}

/** The value at a position minus the best value at any other position; the value itself if there is no other. */
function leadOver({ best, position: winner, second }: BestTwo, values: Float64Array, position: number): number {
  const rival = position === winner ? second : best;
  return values[position] - (rival === Number.NEGATIVE_INFINITY ? 0 : rival);
}
