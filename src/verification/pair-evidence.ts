import type { Workflow } from "../domain/catalog.js";
import type { NgramSettings } from "../domain/model.js";
import { unbounded } from "../domain/run-scope.js";
import type { TimeLeft } from "../inputs/bounded-text.js";
import type { InputPatterns } from "../inputs/input-patterns.js";
import { rankOf } from "../retrieval/best-positions.js";
import type { Ranking } from "../retrieval/retriever.js";
import type { Evidence } from "./evidence.js";
import { type FoundInputs, InputEvidence } from "./input-evidence.js";
import { leads } from "./lead.js";
import { PartSimilarities, type MixedSimilarities } from "./part-similarities.js";
import { type RetrievalShare, retrievalShare } from "./retrieval-share.js";
import { type StemOverlap, WorkflowStems } from "./stem-overlap.js";

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
  "document_word_similarity",
  "document_word_lead",
  "document_char_similarity",
  "document_char_lead",
  "stem_coverage",
  "stem_coverage_lead",
  "excluded_stems",
  "unknown_stems",
  "text_stems",
  "inputs_required",
  "inputs_found",
  "inputs_missing",
  "input_rarity",
  "input_rarity_lead",
] as const;
type EvidenceFeature = (typeof evidenceFeatures)[number];

/** Everything about a text that does not depend on the candidate; arrays have shape (workflows). */
interface TextEvidence extends RetrievalShare {
  readonly ranking: Ranking;
  readonly retrievalLead: (position: number) => number;
  readonly parts: MixedSimilarities;
  readonly partLead: (position: number) => number;
  readonly documentWordLead: (position: number) => number;
  readonly documentCharLead: (position: number) => number;
  readonly stems: StemOverlap;
  readonly stemLead: (position: number) => number;
  readonly inputs: FoundInputs;
  readonly rarityLead: (position: number) => number;
}

/**
 * Lexical and structural evidence that a workflow is what a text asks for. Workflows follow the order of the
 * ranking's `workflowIds`.
 */
export class PairEvidence implements Evidence {
  readonly features = evidenceFeatures;
  private readonly parts: PartSimilarities;
  private readonly stems: WorkflowStems;
  private readonly inputs: InputEvidence;

  constructor(workflows: readonly Workflow[], settings: NgramSettings, patterns: InputPatterns) {
    this.parts = new PartSimilarities(workflows, settings);
    this.stems = new WorkflowStems(workflows);
    this.inputs = new InputEvidence(workflows, patterns);
  }

  /**
   * @param positions  candidates, as positions in the ranking's `workflowIds`
   * @param timeLeft  for the input patterns; unbounded unless given
   * @returns shape (positions, features), row-major
   * @throws {SluiceError} PATTERNS_TIMED_OUT
   */
  of(text: string, ranking: Ranking, positions: readonly number[], timeLeft: TimeLeft = unbounded): Float32Array {
    const evidence = this.textEvidence(text, ranking, timeLeft);
    const rows = new Float32Array(positions.length * evidenceFeatures.length);
    let cell = 0;
    for (const position of positions) {
      const values = this.pair(evidence, position);
      for (const feature of evidenceFeatures) {
        rows[cell] = values[feature];
        cell += 1;
      }
    }
    return rows;
  }

  private textEvidence(text: string, ranking: Ranking, timeLeft: TimeLeft): TextEvidence {
    const parts = this.parts.of(text);
    const stems = this.stems.overlap(text);
    const inputs = this.inputs.of(text, timeLeft);
    return {
      ranking,
      ...retrievalShare(ranking.scores),
      retrievalLead: leads(ranking.scores),
      parts,
      partLead: leads(parts.bestPositive),
      documentWordLead: leads(parts.documentWords),
      documentCharLead: leads(parts.documentChars),
      stems,
      stemLead: leads(stems.covered),
      inputs,
      rarityLead: leads(inputs.rarity),
    };
  }

  private pair(evidence: TextEvidence, position: number): Readonly<Record<EvidenceFeature, number>> {
    const { ranking, parts, stems, inputs } = evidence;
    const at = (values: Float32Array | Float64Array): number => values[position] ?? 0;
    const similar = parts.of(position);
    const required = at(this.inputs.required);
    const found = at(inputs.requiredFound);
    return {
      retrieval_score: at(ranking.scores),
      retrieval_lead: evidence.retrievalLead(position),
      retrieval_rank: 1 / (1 + rankOf(ranking, position)),
      retrieval_share: at(evidence.share),
      best_retrieval_score: evidence.bestScore,
      retrieval_entropy: evidence.entropy,
      name_similarity: similar.name,
      description_similarity: similar.description,
      capability_similarity: similar.capability,
      example_similarity: similar.example,
      three_examples_similarity: similar.threeExamples,
      part_similarity_lead: evidence.partLead(position),
      exclusion_similarity: similar.exclusion,
      exclusion_excess: similar.exclusion - at(parts.bestPositive),
      document_word_similarity: at(parts.documentWords),
      document_word_lead: evidence.documentWordLead(position),
      document_char_similarity: at(parts.documentChars),
      document_char_lead: evidence.documentCharLead(position),
      stem_coverage: at(stems.covered),
      stem_coverage_lead: evidence.stemLead(position),
      excluded_stems: at(stems.onlyExcluded),
      unknown_stems: stems.unknownShare,
      text_stems: Math.log1p(stems.distinctStems),
      inputs_required: required,
      inputs_found: found,
      inputs_missing: required - found,
      input_rarity: at(inputs.rarity),
      input_rarity_lead: evidence.rarityLead(position),
    };
  }
}
