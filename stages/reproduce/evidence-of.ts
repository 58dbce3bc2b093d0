import type { ReadManifest } from "../../src/trust/verify/check-contents.js";
import { notReproducible } from "./not-reproducible.js";

/** Digest of an evidence document in the manifest. @throws {SluiceError} NOT_REPRODUCIBLE */
export function evidenceOf({ predicate }: ReadManifest, name: string): string {
  const found = predicate.evidence.find((one) => one.name === name);
  if (found !== undefined) return found.sha256;
  throw notReproducible(`the manifest names no ${name} among its evidence, expected one`);
}
