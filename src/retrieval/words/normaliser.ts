import { SluiceError } from "../../errors/error.js";

/**
 * Version of `lemmasOf` and `ngramsOf`, as the description of every model that reads words names it. Version "words-1"
 * was two normalisers side by side; its descriptions name none.
 */
export const normaliserVersion = "words-2";

/**
 * Refuses a model that was made for other words than this version reads.
 * @param found  `normaliser` of the description
 * @throws {SluiceError} MODEL_INVALID
 */
export function requireNormaliser(found: string | undefined, what: string): void {
  if (found === normaliserVersion) return;
  const made = found ?? "words-1, which older descriptions did not record";
  throw new SluiceError("MODEL_INVALID", `${what}: found the normaliser ${made}, expected ${normaliserVersion}`, {
    hint: "Fit the model again: sluice model fit, or sluice model fit-lexical.",
  });
}
