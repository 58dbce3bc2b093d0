import type { JobInput } from "../../src/inference/protocol.js";
import { probeDocuments } from "./probe-texts.js";

/** A run on texts. */
export const textsJob = (texts: readonly string[]): JobInput => ({ kind: "texts", texts });

/** A run on one text with the probe documents at these positions. Default: all documents. */
export function pairsJob(text: string, documents: readonly number[] = [...probeDocuments.keys()]): JobInput {
  return { kind: "pairs", text, documents };
}
