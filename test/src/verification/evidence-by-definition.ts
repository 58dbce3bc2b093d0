/** The evidence columns computed from their definitions, one pair at a time and without shortcuts. */
import type { Workflow } from "../../../src/domain/catalog.js";
import type { InputPatterns } from "../../../src/inputs/input-patterns.js";
import { defaultNgramSettings } from "../../../src/retrieval/kernels/default-settings.js";
import { TermCounts, TermIndex } from "../../../src/retrieval/kernels/term-index.js";
import { lemmasOf } from "../../../src/retrieval/words/lemmas.js";
import { type Ngrams, ngramsOf } from "../../../src/retrieval/words/ngrams.js";
import type { Ranking } from "../../../src/retrieval/retriever.js";
import { contractParts, type PartKind } from "../../../src/serializer/contract-parts.js";
import type { evidenceFeatures } from "../../../src/verification/pair-evidence.js";
import { rankedIds } from "../../support/retrieval.js";

const kinds: readonly PartKind[] = ["name", "description", "capability", "example", "exclusion"];
/** 1 for the best workflow. */
const placeOf = (ranking: Ranking, position: number): number =>
  1 + rankedIds(ranking).indexOf(ranking.workflowIds[position] ?? "");
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const lead = (values: readonly number[], position: number): number =>
  (values[position] ?? 0) - (values.length > 1 ? Math.max(...values.filter((_, i) => i !== position)) : 0);

const { wordWeight, charMin, charMax } = defaultNgramSettings;
const ngrams = (texts: readonly string[]): Ngrams => {
  const each = texts.map((text) => ngramsOf(lemmasOf(text), charMin, charMax));
  return { words: each.flatMap((n) => n.words), chars: each.flatMap((n) => n.chars) };
};
const stemsOf = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap(lemmasOf).map((word) => word.slice(0, 5)));

/** Cosine with every document. */
function cosines(index: TermIndex, terms: readonly string[]): Float32Array {
  const values = new Float32Array(index.textCount);
  index.addCosines(index.rowOf(terms), 1, values);
  return values;
}

interface OwnedPart {
  readonly workflow: number;
  readonly kind: PartKind;
  readonly text: string;
}

export class EvidenceByDefinition {
  private readonly workflows: readonly Workflow[];
  private readonly patterns: InputPatterns;
  private readonly parts: readonly OwnedPart[];
  /** The parts, then one document of positive parts per workflow. */
  private readonly words: TermIndex;
  private readonly chars: TermIndex;
  private readonly stems: readonly ReadonlySet<string>[];
  private readonly excludedStems: readonly ReadonlySet<string>[];

  constructor(workflows: readonly Workflow[], patterns: InputPatterns) {
    this.workflows = workflows;
    this.patterns = patterns;
    this.parts = workflows.flatMap((own, workflow) => contractParts(own).map((part) => ({ ...part, workflow })));
    const textsOf = (workflow: number, isExclusion: boolean): readonly string[] =>
      this.parts
        .filter((part) => part.workflow === workflow && (part.kind === "exclusion") === isExclusion)
        .map((part) => part.text);
    const positive = workflows.map((_, workflow) => textsOf(workflow, false));
    const documents = [...this.parts.map((part) => ngrams([part.text])), ...positive.map(ngrams)];
    this.words = new TermIndex(TermCounts.of(documents.map((n) => n.words)));
    this.chars = new TermIndex(TermCounts.of(documents.map((n) => n.chars)));
    this.stems = positive.map(stemsOf);
    this.excludedStems = workflows.map((_, workflow) => stemsOf(textsOf(workflow, true)));
  }

  /** Everything of one text; the returned function gives the columns of a workflow position. */
  of(
    text: string,
    ranking: Ranking,
  ): (position: number) => Readonly<Record<(typeof evidenceFeatures)[number], number>> {
    const words = cosines(this.words, ngrams([text]).words);
    const chars = cosines(this.chars, ngrams([text]).chars);
    const similarities = this.parts.map((_, i) => wordWeight * (words[i] ?? 0) + (1 - wordWeight) * (chars[i] ?? 0));
    const documentWords = Array.from(words).slice(this.parts.length);
    const documentChars = Array.from(chars).slice(this.parts.length);
    const similar = (position: number, kind: PartKind): readonly number[] =>
      similarities
        .filter((_, i) => this.parts[i]?.workflow === position && this.parts[i]?.kind === kind)
        .sort((a, b) => b - a);
    const best = (position: number, kind: PartKind): number => similar(position, kind)[0] ?? 0;
    const positive = this.workflows.map((_, p) => Math.max(...kinds.slice(0, 4).map((kind) => best(p, kind))));
    const stems = [...stemsOf([text])];
    const rarityOf = (stem: string): number =>
      Math.log((1 + this.workflows.length) / (1 + this.stems.filter((own) => own.has(stem)).length));
    const total = sum(stems.map(rarityOf));
    const share = (of: readonly string[]): number => (total > 0 ? sum(of.map(rarityOf)) / total : 0);
    const coverage = this.stems.map((own) => share(stems.filter((stem) => own.has(stem))));
    const excluded = this.excludedStems.map((own, p) =>
      share(stems.filter((stem) => own.has(stem) && this.stems[p]?.has(stem) === false)),
    );
    const unknown = stems.filter((stem) => !this.stems.some((own) => own.has(stem)));
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
        retrieval_rank: 1 / placeOf(ranking, position),
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
        document_word_similarity: documentWords[position] ?? 0,
        document_word_lead: lead(documentWords, position),
        document_char_similarity: documentChars[position] ?? 0,
        document_char_lead: lead(documentChars, position),
        stem_coverage: coverage[position] ?? 0,
        stem_coverage_lead: lead(coverage, position),
        excluded_stems: excluded[position] ?? 0,
        unknown_stems: total > 0 ? share(unknown) : 1,
        text_stems: Math.log1p(stems.length),
        inputs_required: required.length,
        inputs_found: found,
        inputs_missing: required.length - found,
        input_rarity: rarity[position] ?? 0,
        input_rarity_lead: lead(rarity, position),
      };
    };
  }
}
