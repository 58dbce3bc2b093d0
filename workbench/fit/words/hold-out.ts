import type { SeededRandom } from "../../../src/stats/seeded-random.js";
import { lemmasOf } from "../../../src/retrieval/words/lemmas.js";
import type { FitData, FitRequest, FitWorkflow } from "./fit-data.js";
import { sequenceOf, withoutSequences } from "./lemma-texts.js";

/** One fold: what is learned from, and workflows that the fit never sees, with their requests. */
export interface HeldOut {
  readonly fit: FitData;
  readonly workflows: readonly FitWorkflow[];
  readonly requests: readonly FitRequest[];
}

/**
 * Folds that hold out each workflow once, all workflows of a class together, with all their requests and catalog
 * texts, even where a corpus or a pair repeats one of these texts. Everything else is in every fit.
 */
export function workflowFolds(data: FitData, folds: number, random: SeededRandom): readonly HeldOut[] {
  const classes = random.shuffle([...new Set(data.workflows.map(({ classKey }) => classKey))].sort());
  const foldOf = new Map(classes.map((key, position) => [key, position % folds]));
  return Array.from({ length: folds }, (_, fold) => {
    const held = data.workflows.filter(({ classKey }) => foldOf.get(classKey) === fold);
    const ids = new Set(held.map(({ id }) => id));
    const isHeld = ({ workflow }: FitRequest): boolean => workflow !== null && ids.has(workflow);
    const requests = data.requests.filter(isHeld);
    return {
      fit: {
        ...openTexts(data, textsOf(held, requests)),
        requests: data.requests.filter((request) => !isHeld(request)),
        workflows: data.workflows.filter(({ id }) => !ids.has(id)),
        synsets: data.synsets,
      },
      workflows: held,
      requests,
    };
  });
}

/** Lemma sequences of all texts of the held-out workflows. */
function textsOf(workflows: readonly FitWorkflow[], requests: readonly FitRequest[]): ReadonlySet<string> {
  const said = workflows.flatMap(({ name, descriptions }) => [name, ...descriptions]);
  return new Set([...said, ...requests.map(({ text }) => text)].map((text) => sequenceOf(lemmasOf(text))));
}

/** Corpora and pairs without the texts of a held-out workflow. */
function openTexts({ corpora = [], pairs = [] }: FitData, held: ReadonlySet<string>) {
  const isOpen = (text: string): boolean => !held.has(sequenceOf(lemmasOf(text)));
  return {
    corpora: corpora.map((corpus) => ({ ...corpus, texts: withoutSequences(corpus.texts, held) })),
    pairs: pairs.map(({ kind, rows }) => {
      return { kind, rows: rows.filter(([left, right]) => isOpen(right) && (kind === "intent" || isOpen(left))) };
    }),
  };
}
