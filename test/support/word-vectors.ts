/** Small tables of word vectors and models that use them. */
import type { WordKernelsRetrieverModel } from "../../src/domain/model.js";
import { wordVectors } from "../../src/retrieval/words/load-word-vectors.js";
import { defaultHeadSettings, defaultKernelSettings } from "../../src/retrieval/kernels/default-settings.js";
import { normaliserVersion } from "../../src/retrieval/words/normaliser.js";
import type { WordVectors } from "../../src/retrieval/words/word-vectors.js";

/** Vectors by lemma, all of one length; every lemma counts once. */
export function vectorsOf(table: Readonly<Record<string, readonly number[]>>): WordVectors {
  const lemmas = Object.keys(table);
  const rows = Float32Array.from(Object.values(table).flat());
  return wordVectors({ lemmas, counts: lemmas.map(() => 1) }, rows, rows.length / lemmas.length);
}

/** Words of `someWorkflows` in three meanings: parcels, money and accounts. */
export const deskVectors: WordVectors = vectorsOf({
  order: [1, 0, 0.2],
  parcel: [0.9, 0.1, 0],
  package: [0.95, 0, 0.1],
  arrive: [0.8, 0, 0],
  refund: [0, 1, 0],
  money: [0.1, 0.9, 0],
  reimburse: [0, 0.95, 0.05],
  invoice: [0, 0.8, 0.2],
  account: [0, 0.1, 1],
  lock: [0, 0, 0.9],
  login: [0.1, 0, 0.95],
  sign: [0, 0, 0.8],
});

/** The description of a retriever of kind word_kernels; its vectors are separate. */
export function wordKernelsModel(
  overrides: {
    readonly kernels?: Partial<WordKernelsRetrieverModel["kernels"]>;
    readonly head?: Partial<WordKernelsRetrieverModel["head"]>;
    readonly prefix?: WordKernelsRetrieverModel["prefix"];
  } = {},
): WordKernelsRetrieverModel {
  return {
    schemaVersion: 1,
    role: "retriever",
    kind: "word_kernels",
    normaliser: normaliserVersion,
    version: "word-kernels-test",
    capability: "development",
    prefix: overrides.prefix ?? { query: "", document: "" },
    vectors: null,
    kernels: { ...defaultKernelSettings, ...overrides.kernels },
    head: { ...defaultHeadSettings, ...overrides.head },
  };
}
