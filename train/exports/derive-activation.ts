import type { Activation } from "../../src/documents/choices.js";
import { type Derived, refused } from "./sourced.js";

/** Tolerance for probabilities; half precision and int8 change them by less. */
const tolerance = 2e-3;

/**
 * Infers the final activation of a graph from the rows of a probe. Raw logits of many pairs are not all in [0, 1]; rows
 * in [0, 1] that also sum to 1 come from a softmax.
 * @param rows  one row per pair of the probe, one number per column
 */
export function measuredActivation(rows: readonly Float32Array[]): Activation {
  const inUnit = rows.every((row) => row.every((value) => value >= -tolerance && value <= 1 + tolerance));
  if (!inUnit) return "none";
  const sumsToOne = rows.every((row) => Math.abs(row.reduce((sum, value) => sum + value, 0) - 1) <= tolerance);
  return sumsToOne && (rows[0]?.length ?? 0) > 1 ? "softmax" : "sigmoid";
}

const measuredText: Readonly<Record<Activation, string>> = {
  none: "scores of the probe lie outside of [0, 1]",
  sigmoid: "every score of the probe lies in [0, 1]",
  softmax: "every row of the probe lies in [0, 1] and sums to 1",
};

/**
 * The activation of a verifier: none if the probe shows raw logits, otherwise as stated by the flag.
 * @param wanted  from the command line
 */
export function deriveActivation(rows: readonly Float32Array[], wanted: Activation | undefined): Derived<Activation> {
  const measured = measuredActivation(rows);
  const found = measuredText[measured];
  if (wanted !== undefined) {
    // Raw logits can all be in [0, 1], though rarely, but their rows never all sum to 1.
    return wanted === measured || (wanted === "none" && measured === "sigmoid")
      ? { value: wanted, source: "--activation" }
      : refused(`--activation ${wanted}, but ${found}`, `--activation ${measured}`);
  }
  if (measured === "none") return { value: "none", source: `measured: ${found}` };
  return {
    missing: `${found}, so that the graph already applies a ${measured}`,
    flag: measured === "softmax" ? "--activation softmax" : "--activation sigmoid, or none for raw logits",
  };
}
