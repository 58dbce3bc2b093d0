import type { Workflow } from "../domain/catalog.js";
import type { LexicalSettings } from "../domain/model.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { ContractIndex } from "../retrieval/lexical/contract-index.js";
import type { Ranking } from "../retrieval/retriever.js";
import type { PartKind } from "../serializer/contract-parts.js";
import { WorkflowVocabulary } from "./vocabulary-overlap.js";

/** Columns of the evidence of a (text, workflow) pair, in the order of the verifier graph's input. */
export const evidenceFeatures = [
  "retrieval_score",
  "retrieval_lead",
  "retrieval_rank",
  "retrieval_share",
  "best_retrieval_score",
  "retrieval_entropy",
  "name_similarity",
  "description_similarity",
  "capability_similarity",
  "example_similarity",
  "three_examples_similarity",
  "part_similarity_lead",
  "exclusion_similarity",
  "exclusion_excess",
  "word_coverage",
  "word_coverage_lead",
  "unknown_words",
  "text_words",
  "inputs_required",
  "inputs_found",
  "inputs_missing",
  "input_rarity",
  "input_rarity_lead",
] as const;
type EvidenceFeature = (typeof evidenceFeatures)[number];

const partKinds: readonly PartKind[] = ["name", "description", "capability", "example", "exclusion"];

/** Sharpness of the softmax over retrieval scores; scores are near 0 to 1. */
const shareSharpness = 10;

/** Best similarities of one workflow with a text, per kind of part. */
interface PartSummary {
  name: number;
  description: number;
  capability: number;
  exclusion: number;
  readonly examples: number[];
}

/** Value minus the best value of any other workflow. */
function leadOver(values: Float64Array, position: number): number {
  let best = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i += 1) if (i !== position) best = Math.max(best, values[i] ?? 0);
  return (values[position] ?? 0) - (best === Number.NEGATIVE_INFINITY ? 0 : best);
}

/** Everything about a text that does not depend on the candidate. */
interface TextEvidence {
  readonly share: Float64Array;
  readonly entropy: number;
  readonly summaries: readonly PartSummary[];
  /** Best positive similarity of each workflow. */
  readonly best: Float64Array;
  readonly covered: Float64Array;
  readonly unknownShare: number;
  readonly words: number;
  readonly inputRarity: Float64Array;
  readonly rankOf: Int32Array;
}

/**
 * Lexical and structural evidence that a workflow is what a text asks for. Workflows keep the order of the ranking's
 * `workflowIds`.
 */
export class PairEvidence {
  private readonly workflows: readonly Workflow[];
  private readonly index: ContractIndex;
  private readonly vocabulary: WorkflowVocabulary;
  private readonly patterns: InputPatterns;

  constructor(workflows: readonly Workflow[], settings: LexicalSettings, patterns: InputPatterns) {
    this.workflows = workflows;
    this.index = new ContractIndex(workflows, settings, partKinds);
    this.vocabulary = new WorkflowVocabulary(workflows);
    this.patterns = patterns;
  }

  /**
   * @param positions  candidates, as positions in the ranking's `workflowIds`
   * @returns shape (positions, features), row-major
   */
  of(text: string, ranking: Ranking, positions: readonly number[]): Float32Array {
    const evidence = this.textEvidence(text, ranking);
    const rows = new Float32Array(positions.length * evidenceFeatures.length);
    for (const [row, position] of positions.entries()) {
      const values = this.pair(text, ranking, evidence, position);
      for (const [column, feature] of evidenceFeatures.entries()) {
        rows[row * evidenceFeatures.length + column] = values[feature];
      }
    }
    return rows;
  }

  private pair(
    text: string,
    ranking: Ranking,
    evidence: TextEvidence,
    position: number,
  ): Readonly<Record<EvidenceFeature, number>> {
    const summary = evidence.summaries[position] as PartSummary;
    const examples = [...summary.examples].sort((a, b) => b - a);
    const best = evidence.best[position] ?? 0;
    const required = this.workflows[position]?.requiredInputs ?? [];
    const found = required.filter((input) => this.patterns.find(input, text) !== null).length;
    return {
      retrieval_score: ranking.scores[position] ?? 0,
      retrieval_lead: leadOver(ranking.scores, position),
      retrieval_rank: 1 / (1 + (evidence.rankOf[position] ?? 0)),
      retrieval_share: evidence.share[position] ?? 0,
      best_retrieval_score: ranking.scores[ranking.order[0] ?? 0] ?? 0,
      retrieval_entropy: evidence.entropy,
      name_similarity: summary.name,
      description_similarity: summary.description,
      capability_similarity: summary.capability,
      example_similarity: examples[0] ?? 0,
      three_examples_similarity: examples.slice(0, 3).reduce((sum, s) => sum + s, 0) / 3,
      part_similarity_lead: leadOver(evidence.best, position),
      exclusion_similarity: summary.exclusion,
      exclusion_excess: summary.exclusion - best,
      word_coverage: evidence.covered[position] ?? 0,
      word_coverage_lead: leadOver(evidence.covered, position),
      unknown_words: evidence.unknownShare,
      text_words: Math.log1p(evidence.words),
      inputs_required: required.length,
      inputs_found: found,
      inputs_missing: required.length - found,
      input_rarity: evidence.inputRarity[position] ?? 0,
      input_rarity_lead: leadOver(evidence.inputRarity, position),
    };
  }

  private textEvidence(text: string, ranking: Ranking): TextEvidence {
    const { share, entropy } = retrievalShare(ranking);
    const summaries = this.summarise(text);
    const { covered, unknownShare, distinctWords } = this.vocabulary.overlap(text);
    const rankOf = new Int32Array(ranking.order.length);
    for (const [rank, position] of ranking.order.entries()) rankOf[position] = rank;
    return {
      share,
      entropy,
      summaries,
      best: Float64Array.from(summaries, (s) => Math.max(s.name, s.description, s.capability, ...s.examples)),
      covered,
      unknownShare,
      words: distinctWords,
      inputRarity: this.inputRarity(text),
      rankOf,
    };
  }

  private summarise(text: string): readonly PartSummary[] {
    const { similarities } = this.index.similarities(text);
    const summaries: PartSummary[] = this.workflows.map(() => ({
      name: 0,
      description: 0,
      capability: 0,
      exclusion: 0,
      examples: [],
    }));
    for (const [position, part] of this.index.parts.entries()) {
      const similarity = similarities[position] ?? 0;
      const summary = summaries[part.workflow] as PartSummary;
      if (part.kind === "example") summary.examples.push(similarity);
      else summary[part.kind] = Math.max(summary[part.kind], similarity);
    }
    return summaries;
  }

  /** How telling the inputs are that the text holds: the sum of -ln(share of workflows with the same pattern). */
  private inputRarity(text: string): Float64Array {
    const found = new Map<string, boolean>();
    return Float64Array.from(this.workflows, (workflow) => {
      let rarity = 0;
      for (const input of [...workflow.requiredInputs, ...workflow.optionalInputs]) {
        if (input.pattern === null) continue;
        const known = found.get(input.pattern) ?? this.patterns.find(input, text) !== null;
        found.set(input.pattern, known);
        if (known) rarity -= Math.log(this.patterns.commonness(input));
      }
      return rarity;
    });
  }
}

/** Softmax over the whole catalog's scores, and its entropy in nats. */
function retrievalShare(ranking: Ranking): { readonly share: Float64Array; readonly entropy: number } {
  const best = ranking.scores[ranking.order[0] ?? 0] ?? 0;
  const share = Float64Array.from(ranking.scores, (score) => Math.exp(shareSharpness * (score - best)));
  const total = share.reduce((sum, value) => sum + value, 0);
  let entropy = 0;
  for (let i = 0; i < share.length; i += 1) {
    const p = (share[i] ?? 0) / total;
    share[i] = p;
    if (p > 0) entropy -= p * Math.log(p);
  }
  return { share, entropy };
}
