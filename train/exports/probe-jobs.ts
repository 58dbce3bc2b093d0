import type { JobInput } from "../../src/inference/protocol.js";
import { probeDocuments } from "./probe-texts.js";

/** A run of texts. */
export const textsJob = (texts: readonly string[]): JobInput => ({ kind: "texts", texts });

/** A run of one text with the documents of the probe at these positions; with all of them when none are given. */
export function pairsJob(text: string, documents: readonly number[] = [...probeDocuments.keys()]): JobInput {
  return { kind: "pairs", text, documents };
}
