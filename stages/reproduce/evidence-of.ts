import type { ReadManifest } from "../../src/trust/verify/check-contents.js";
import { command, say, SluiceError } from "../../src/base/error.js";

/** Digest of an evidence document in the manifest. @throws {SluiceError} NOT_REPRODUCIBLE */
export function evidenceOf({ predicate }: ReadManifest, name: string): string {
  const found = predicate.evidence.find((one) => one.name === name);
  if (found !== undefined) return found.sha256;
  throw notReproducible(`the manifest names no ${name} among its evidence, expected one`);
}

/** The error for a claim that cannot be reproduced. @param why  what was found and what was expected */
export const notReproducible = (
  why: string,
  hint = say`Sign the bundle again: ${command`sluice manifest create`}`,
): SluiceError => new SluiceError("NOT_REPRODUCIBLE", why, { hint });
