import type { Activation } from "../../src/documents/choices.js";
import { type Derived, refused } from "./sourced.js";

/** Half precision and int8 move probabilities by less than this. */
const tolerance = 2e-3;

/**
 * What a graph applies to its scores last, as the rows of a probe show it. Raw logits of many pairs do not all lie in
 * [0, 1]; rows that also sum to 1 come from a softmax.
 * @param rows  one for each pair of the probe, with a number for each column
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
 * The activation of a verifier: raw logits where the probe shows them, otherwise as the flag states it.
 * @param wanted  from the command line
 */
export function deriveActivation(rows: readonly Float32Array[], wanted: Activation | undefined): Derived<Activation> {
  const measured = measuredActivation(rows);
  const found = measuredText[measured];
  if (wanted !== undefined) {
    // Raw logits may all lie in [0, 1], though hardly ever; rows of them never all sum to 1.
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
