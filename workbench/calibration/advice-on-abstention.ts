import { passes, pExact } from "../../calibrate/stats/binomial-test.js";
import { counted, formatPercent, formatTenthsPercent } from "../../src/domain/number-text.js";
import type { FitCalibrationInput } from "../../calibrate/fit-input.js";
import { abstentionAdvice } from "../../calibrate/plan/describe-plan.js";
import { type PlannedClaimKind, plannedClaimKinds, plannedTargets } from "../../calibrate/plan/calibration-plan.js";
import type { CalibrationWire } from "../../src/domain/calibration.js";
import { leftOutSplit } from "../../datasets/split-by-request.js";
import type { SplitWire } from "../../src/domain/split.js";
import { type PlanContext, planRecords } from "./plan.js";

/** Number of simulated certifications behind a line of advice. */
const samples = 100;

const plannedKind = (claim: FitCalibrationInput["claim"]): PlannedClaimKind | undefined =>
  plannedClaimKinds.find((kind) => kind === (claim ?? "new-workflows"));

/**
 * One or two lines on what is missing where the planned target was not certified. Empty when it was, and for
 * averages and tiers that must hold by themselves, which have no plan.
 */
export async function adviceOnAbstention(
  context: PlanContext,
  split: SplitWire,
  input: FitCalibrationInput,
  { claims }: Pick<CalibrationWire, "claims">,
): Promise<readonly string[]> {
  const kind = plannedKind(input.claim);
  const abstains = claims.some(
    ({ scope, certified, target_risk: signed }) => scope === "overall" && (!certified || signed > input.target),
  );
  if (split.disjoint_by === leftOutSplit) return abstains ? adviceByCount(claims, input.target) : [];
  if (kind === undefined || !abstains || Object.keys(input.requiredTiers ?? {}).length > 0) return [];
  const { calibrator, outOfScopeShare, crossFit, startErrors, startIcc, delta, target } = input;
  const plan = await planRecords(
    context,
    { records: input.records, split },
    {
      claims: [kind],
      targets: [target, ...plannedTargets.filter((one) => one > target)],
      delta,
      samples,
      ...(calibrator === undefined ? {} : { calibrator }),
      ...(outOfScopeShare === undefined ? {} : { outOfScopeShare }),
      ...(crossFit === undefined ? {} : { crossFit }),
      ...(startErrors === undefined ? {} : { startErrors }),
      ...(startIcc === undefined ? {} : { startIcc }),
    },
  );
  return abstentionAdvice(plan, target);
}

/** More than so many times the labelled requests of today is no advice. */
const farTimes = 10;

/** Two significant digits, upwards: the share that is wrong is not known better. */
function roundedUp(n: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(n)) - 1);
  return Math.ceil(n / unit) * unit;
}

/** What the planned target lacks where every text certifies, at the share that is wrong now; nothing is simulated. */
export function adviceByCount(
  claims: readonly Pick<CalibrationWire["claims"][number], "scope" | "routed" | "errors" | "requests" | "delta">[],
  target: number,
): readonly string[] {
  const claim = claims.find(({ scope }) => scope === "overall");
  if (claim === undefined || claim.routed === 0 || claim.delta === null) return [];
  const share = claim.errors / claim.routed;
  const what = `What ${formatPercent(target)} lacks`;
  if (share >= target) {
    return [
      `${what}: ${formatTenthsPercent(share)} of ${counted(claim.routed, "route is", "routes are")} wrong; more examples, or clearer ones, must lower that first.`,
    ];
  }
  let needed = claim.routed;
  while (needed < 1e7 && !passes(pExact(Math.ceil(share * needed), needed, target), claim.delta))
    needed = Math.ceil(needed * 1.1);
  const more = roundedUp(Math.max(1, (needed / claim.routed - 1) * claim.requests));
  if (more > farTimes * claim.requests) {
    return [
      `${what}: fewer wrong routes. ${formatTenthsPercent(share)} of ${counted(claim.routed, "route is", "routes are")} wrong, which is too close to ${formatPercent(target)} for a realistic number of further requests to show.`,
    ];
  }
  return [`${what}: about ${counted(more, "more labelled request")}, if the same share is wrong.`];
}
