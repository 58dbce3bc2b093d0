import type { CoOccurrenceSettings } from "./co-occurrence.js";
import type { ContrastiveSettings } from "./contrastive-fit.js";

/** Settings of a fit of word vectors, apart from its data and seed. */
export interface VectorSettings {
  /** Most lemmas of the vocabulary. */
  readonly vocabulary: number;
  readonly dimensions: number;
  readonly coOccurrence: CoOccurrenceSettings;
  /** Length of each word's random part; the shared part has length 1. */
  readonly identity: number;
  /** a of the weight a / (a + p). */
  readonly sif: number;
  readonly contrastive: ContrastiveSettings;
}

export const defaultVectorSettings: VectorSettings = {
  vocabulary: 30_000,
  dimensions: 256,
  coOccurrence: { window: 5, request: 1, synonym: 3, hypernym: 2, defined: 1, definition: 0.3, example: 1 },
  identity: 0.7,
  sif: 3e-4,
  contrastive: {
    steps: 1200,
    pairs: { lexicon: 384, workflow: 96, intent: 64, title: 64, definition: 64, heading: 64, synonym: 96 },
    scale: 8,
    dropout: 0.3,
    rate: 2e-3,
  },
};
