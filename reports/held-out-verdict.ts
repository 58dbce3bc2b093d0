import type { Claim } from "../src/documents/calibration.js";
import type { Evaluation } from "../src/documents/evaluation.js";
import { counted, formatCount, formatPercent, formatTenthsPercent } from "../src/documents/number-text.js";
import type { Rate } from "../src/documents/rate.js";
import { clopperPearsonLower } from "../src/base/numbers/clopper-pearson.js";
import { claimOutcome, type MeasuredOutcomes } from "./claim-outcome.js";

/**
 * What held-out requests show about a certified claim. The certification test proves the claim; held-out requests can
 * only contradict it. A fold that is too small to prove it again does not contradict it.
 */
export type HeldOutVerdict = "agree" | "too_few" | "contradict";

export type MeasuredClaims = MeasuredOutcomes & Pick<Evaluation, "fold">;

export interface JudgedOnHeldOut {
  readonly heldOut: HeldOutVerdict;
  /** The wording used in the terminal, on pages, in gates and on the signed page. */
  readonly sentence: string;
}

/** Maximum probability that any true claim of a calibration is contradicted. */
export const contradictionLevel = 0.05;

/** Says that the held-out requests are too few, without the last full stop. */
export const tooFewText = ({ requests }: Pick<Evaluation, "requests">): string =>
  `Certified. The ${counted(requests, "held-out request is", "held-out requests are")} too few to confirm or contradict it`;

const countsText = ({ k, n }: Rate): string =>
  `${formatCount(k)} wrong of ${formatCount(n)} routed${n === 0 ? "" : ` (${formatTenthsPercent(k / n)})`}`;

/**
 * @param claims  number of certified claims of the calibration, over which the level is divided
 * @throws {SluiceError} ARGUMENT_INVALID  a target is not in (0, 1)
 */
export function judgeOnHeldOut(
  claim: Pick<Claim, "scope" | "tiers" | "delta" | "target_risk">,
  evaluation: MeasuredClaims,
  claims: number,
): JudgedOnHeldOut {
  const limit = formatPercent(claim.target_risk);
  if (evaluation.fold !== "eval") {
    return {
      heldOut: "too_few",
      sentence: `Certified on the test requests; there is no separate held-out set (limit ${limit}).`,
    };
  }
  const { wrong } = claimOutcome(claim, evaluation);
  const effective = wrong.effective_n ?? wrong.n;
  const few = {
    heldOut: "too_few",
    sentence: `${tooFewText(evaluation)}: ${countsText(wrong)}, limit ${limit}.`,
  } as const;
  if (wrong.estimate === null || effective === 0) return few;
  if (
    clopperPearsonLower(wrong.estimate * effective, effective, contradictionLevel / Math.max(1, claims)) >
    claim.target_risk
  ) {
    return {
      heldOut: "contradict",
      sentence: `Held-out requests contradict the claim: ${countsText(wrong)}, limit ${limit}.`,
    };
  }
  // Whether this many requests without an error would be enough to show the target.
  const tells = (1 - claim.target_risk) ** effective <= contradictionLevel;
  if (!tells || wrong.estimate > claim.target_risk) return few;
  return {
    heldOut: "agree",
    sentence: `Certified, and held-out requests agree: ${countsText(wrong)}, limit ${limit}.`,
  };
}
