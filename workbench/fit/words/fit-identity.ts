import { canonicalBytes } from "../../../src/digest/canonical-json.js";
import { sha256Hex } from "../../../src/digest/sha256.js";
import type { FitCorpus, FitData } from "./fit-data.js";
import type { VectorSettings } from "./vector-settings.js";

/** Identifies a fit by everything that determines its bytes, so that no other fit's state is resumed. */
export function fitIdentity(data: FitData, settings: VectorSettings, seed: number): string {
  const { corpora = [], ...others } = data;
  return sha256Hex(canonicalBytes({ settings, seed, data: others, corpora: corpora.map(corpusIdentity) }));
}

function corpusIdentity({ kind, weight, texts }: FitCorpus) {
  const digest = ({ buffer, byteOffset, byteLength }: Int32Array): string =>
    sha256Hex(Buffer.from(buffer, byteOffset, byteLength));
  const { lemmas, starts, words } = texts;
  return { kind, weight, lemmas: sha256Hex(lemmas.join("\n")), starts: digest(starts), words: digest(words) };
}
