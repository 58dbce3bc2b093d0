import type { LexicalSettings } from "../../domain/model.js";
import { SluiceError } from "../../errors/error.js";
import type { ContractIndex } from "./contract-index.js";
import { choleskyInPlace, solveInPlace } from "./kernel-ridge.js";

/** Texts that the head is fitted on at most: 6,000 take minutes, and twice as many eight times as long. */
const textLimit = 6000;

/** Refuses a fit that would not end in reasonable time. @throws {SluiceError} CATALOG_INVALID */
export function requireFittable(texts: number, workflows: number): void {
  if (texts <= textLimit) return;
  throw new SluiceError(
    "CATALOG_INVALID",
    `the lexical retriever fits at most ${textLimit} catalog texts, ${workflows} workflows have ${texts}`,
    {
      hint: "Use a retriever of kind encoder, which has no such limit, or keep fewer examples per workflow.",
      details: { texts, workflows, limit: textLimit },
    },
  );
}

/**
 * Closed-form kernel ridge regression of one-hot workflow labels on the catalog's own texts, with the kernel
 * exp(gamma * (similarity - 1)). Cost n^3 / 3 for n parts.
 *
 * @returns weights, shape (parts, workflows), row-major; a text's scores are kernel(text, parts) x weights
 */
export function fitRidgeHead(index: ContractIndex, settings: LexicalSettings): Float32Array {
  const parts = index.parts.length;
  const workflows = index.workflowIds.length;
  const gram = new Float64Array(parts * parts);
  for (let i = 0; i < parts; i += 1) {
    gram.set(kernelOf(index.partSimilarities(i), settings.gamma), i * parts);
    gram[i * parts + i] = (gram[i * parts + i] ?? 0) + settings.ridge;
  }
  choleskyInPlace(gram, parts);
  const labels = new Float64Array(parts * workflows);
  for (const [position, part] of index.parts.entries()) labels[position * workflows + part.workflow] = 1;
  solveInPlace(gram, parts, labels, workflows);
  return Float32Array.from(labels);
}

function kernelOf(similarities: Float64Array, gamma: number): Float64Array {
  return similarities.map((similarity) => Math.exp(gamma * (similarity - 1)));
}
