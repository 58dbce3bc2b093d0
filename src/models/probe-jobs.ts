import type { JobInput } from "../inference/protocol.js";
import { probeDocuments } from "./probe-texts.js";

/** A run of texts. */
export function textsJob(texts: readonly string[]): JobInput {
  // oxlint-disable-next-line unicorn/no-thenable -- the field of the protocol is a number or null, never a function
  return { kind: "texts", texts, then: null };
}

/** A run of one text with the documents of the probe at these positions; with all of them when none are given. */
export function pairsJob(text: string, documents: readonly number[] = [...probeDocuments.keys()]): JobInput {
  return { kind: "pairs", text, documents };
}
