/** The evidence columns computed from their definitions, one pair at a time and without shortcuts. */
import type { Workflow } from "../../../src/domain/catalog.js";
import type { InputPatterns } from "../../../src/inputs/input-patterns.js";
import { ContractIndex } from "../../../src/retrieval/lexical/contract-index.js";
import { wordsOf } from "../../../src/retrieval/lexical/words.js";
import type { Ranking } from "../../../src/retrieval/retriever.js";
import { type PartKind, positiveParts } from "../../../src/serializer/contract-parts.js";
import { defaultLexicalSettings } from "../../../src/verification/fit/fit-lexical-models.js";
import type { evidenceFeatures } from "../../../src/verification/pair-evidence.js";

const kinds: readonly PartKind[] = ["name", "description", "capability", "example", "exclusion"];
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const lead = (values: readonly number[], position: number): number =>
  (values[position] ?? 0) - (values.length > 1 ? Math.max(...values.filter((_, i) => i !== position)) : 0);

export class EvidenceByDefinition {
  private readonly workflows: readonly Workflow[];
  private readonly patterns: InputPatterns;
  private readonly index: ContractIndex;
  /** Positions of the parts of each workflow, by kind. */
  private readonly partsOf: readonly Readonly<Record<PartKind, readonly number[]>>[];
  private readonly vocabularies: readonly ReadonlySet<string>[];

  constructor(workflows: readonly Workflow[], patterns: InputPatterns) {
    this.workflows = workflows;
    this.patterns = patterns;
    this.index = new ContractIndex(workflows, defaultLexicalSettings, kinds);
    const partsOf = (workflow: number, kind: PartKind): readonly number[] =>
      this.index.parts.flatMap((part, i) => (part.workflow === workflow && part.kind === kind ? [i] : []));
    this.partsOf = workflows.map((_, workflow) => ({
      name: partsOf(workflow, "name"),
      description: partsOf(workflow, "description"),
      capability: partsOf(workflow, "capability"),
      example: partsOf(workflow, "example"),
      exclusion: partsOf(workflow, "exclusion"),
    }));
    this.vocabularies = workflows.map((w) => new Set(positiveParts(w).flatMap((part) => wordsOf(part.text))));
  }

  /** Everything of one text; the returned function gives the columns of a workflow position. */
  of(
    text: string,
    ranking: Ranking,
  ): (position: number) => Readonly<Record<(typeof evidenceFeatures)[number], number>> {
    const { similarities } = this.index.similarities(text);
    const similar = (position: number, kind: PartKind): readonly number[] =>
      (this.partsOf[position]?.[kind] ?? []).map((i) => similarities[i] ?? 0).sort((a, b) => b - a);
    const best = (position: number, kind: PartKind): number => similar(position, kind)[0] ?? 0;
    const positive = this.workflows.map((_, p) => Math.max(...kinds.slice(0, 4).map((kind) => best(p, kind))));
    const words = [...new Set(wordsOf(text))];
    const rarityOf = (word: string): number =>
      Math.log((1 + this.workflows.length) / (1 + this.vocabularies.filter((v) => v.has(word)).length));
    const total = sum(words.map(rarityOf));
    const coverage = this.vocabularies.map((v) =>
      total > 0 ? sum(words.filter((word) => v.has(word)).map(rarityOf)) / total : 0,
    );
    const unknown = words.filter((word) => !this.vocabularies.some((v) => v.has(word)));
    const rarity = this.workflows.map((workflow) =>
      sum(
        [...workflow.requiredInputs, ...workflow.optionalInputs]
          .filter((input) => this.patterns.find(input, text) !== null)
          .map((input) => -Math.log(this.patterns.commonness(input))),
      ),
    );
    const scores = [...ranking.scores];
    const top = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(10 * (score - top)));
    const shares = powers.map((power) => power / sum(powers));
    return (position) => {
      const required = this.workflows[position]?.requiredInputs ?? [];
      const found = required.filter((input) => this.patterns.find(input, text) !== null).length;
      return {
        retrieval_score: scores[position] ?? 0,
        retrieval_lead: lead(scores, position),
        retrieval_rank: 1 / (1 + ranking.order.indexOf(position)),
        retrieval_share: shares[position] ?? 0,
        best_retrieval_score: top,
        retrieval_entropy: -sum(shares.filter((share) => share > 0).map((share) => share * Math.log(share))),
        name_similarity: best(position, "name"),
        description_similarity: best(position, "description"),
        capability_similarity: best(position, "capability"),
        example_similarity: best(position, "example"),
        three_examples_similarity: sum(similar(position, "example").slice(0, 3)) / 3,
        part_similarity_lead: lead(positive, position),
        exclusion_similarity: best(position, "exclusion"),
        exclusion_excess: best(position, "exclusion") - (positive[position] ?? 0),
        word_coverage: coverage[position] ?? 0,
        word_coverage_lead: lead(coverage, position),
        unknown_words: total > 0 ? sum(unknown.map(rarityOf)) / total : 1,
        text_words: Math.log1p(words.length),
        inputs_required: required.length,
        inputs_found: found,
        inputs_missing: required.length - found,
        input_rarity: rarity[position] ?? 0,
        input_rarity_lead: lead(rarity, position),
      };
    };
  }
}
