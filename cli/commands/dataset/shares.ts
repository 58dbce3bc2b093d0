import type { FoldFractions } from "../../../datasets/assign-folds.js";
import { SluiceError } from "../../../src/errors/error.js";
import { probability } from "../../parsers.js";

/**
 * Four shares in the order fit, tune, certify, eval. Whether they are positive with sum 1 is checked by the split.
 * @throws {SluiceError} USAGE
 */
export function parseShares(raw: string, name: string): FoldFractions {
  const parts = raw.split(",").map((part) => probability.parse(part.trim(), name));
  const [fit, tune, certify, evaluation] = parts;
  if (
    parts.length === 4 &&
    fit !== undefined &&
    tune !== undefined &&
    certify !== undefined &&
    evaluation !== undefined
  ) {
    return { fit, tune, certify, eval: evaluation };
  }
  throw new SluiceError("USAGE", `${name}: found ${parts.length} numbers, expected 4`, {
    hint: `Write for example: ${name} 0.35,0.15,0.3,0.2`,
  });
}
