import type {
  KernelSettings,
  LocalRidgeSettings,
  NgramSettings,
  WordKernelsRetrieverModel,
} from "../../domain/model.js";
import { normaliserVersion } from "../words/normaliser.js";

/** Words and word pairs, and character 3-5-grams. */
export const defaultNgramSettings: NgramSettings = { wordWeight: 0.65, charMin: 3, charMax: 5 };

/** Settings of the similarities, chosen like those of the head. */
export const defaultKernelSettings: KernelSettings = {
  ...defaultNgramSettings,
  lexical: 0.3,
  soft: 0.35,
  dense: 0.35,
  neighbours: 8,
  neighbourFloor: 0.15,
  correctedFrom: 5,
};

/** Settings of the head, chosen by held-out requests of BANKING77, the service desk and Schema-Guided Dialogue. */
export const defaultHeadSettings: LocalRidgeSettings = { gamma: 2, ownRidge: 0.1, rivalRidge: 1, rivals: 192 };

/** The retriever without anything learned: n-grams alone. It has no files, and its head is fitted on the catalog. */
export const lexicalRetrieverModel: WordKernelsRetrieverModel = {
  schemaVersion: 1,
  role: "retriever",
  kind: "word_kernels",
  normaliser: normaliserVersion,
  version: "lexical-kernels-1",
  capability: "production",
  prefix: { query: "", document: "" },
  vectors: null,
  kernels: { ...defaultNgramSettings, lexical: 1, soft: 0, dense: 0, neighbours: 1, neighbourFloor: 0.15 },
  head: defaultHeadSettings,
};
