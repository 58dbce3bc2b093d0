import type { Catalog } from "../../src/documents/catalog.js";
import type { TextToScore } from "../../src/documents/text-scores.js";
import { activeWorkflows } from "../../src/router/policy/eligibility.js";

/** A text that any active workflow may answer, with every workflow ranked and nothing timed. */
export function aTextToScore(catalog: Catalog, text: string, overrides: Partial<TextToScore> = {}): TextToScore {
  const { length } = activeWorkflows(catalog);
  return {
    text,
    lookedUp: null,
    eligible: new Uint8Array(length).fill(1),
    topK: 3,
    ineligibleCompetitors: 0,
    also: null,
    ranks: length,
    leftMs: Number.POSITIVE_INFINITY,
    patternBudgetMs: null,
    ...overrides,
  };
}
