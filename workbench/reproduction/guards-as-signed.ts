import { readEvaluation } from "../../eval/evaluation-document.js";
import type { GuardEvaluation } from "../../src/domain/evaluation.js";
import { jsonSide } from "./compare-documents.js";

/**
 * Guard rates with the fields of a signed evaluation: evaluations from before the digest of stopped ids lack it, and
 * must still be reproduced byte for byte.
 * @param signed  bytes of the signed evaluation
 */
export function guardsAsSigned(guards: readonly GuardEvaluation[], signed: Buffer): readonly GuardEvaluation[] {
  const stated = readEvaluation(jsonSide(signed).document, "signed evaluation").detail?.guards ?? [];
  if (stated.some(({ stoppedSha256 }) => stoppedSha256 !== undefined)) return guards;
  return guards.map(({ stoppedSha256: _added, ...guard }) => guard);
}
