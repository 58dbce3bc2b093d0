import type { Calibration, NextStep } from "../../src/documents/calibration.js";
import { counted, formatCount, formatFixedPercentUp, formatPercent } from "../../src/documents/number-text.js";
import {
  type CalibrationPlan,
  type DataSize,
  likely,
  type MissingData,
  type PlannedClaim,
} from "../../src/documents/calibration-plan.js";

/** Rounds a count up to two significant digits. */
function about(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1);
  return Math.ceil(value / unit - 1e-9) * unit;
}

function moreText(
  { workflows, requests, out_of_scope: outOfScope }: DataSize,
  { claim }: Pick<PlannedClaim, "claim">,
): string {
  const outside = outOfScope === 0 ? "" : `, including ${formatCount(about(outOfScope))} out of scope`;
  if (claim === "fixed-catalog") return `about ${counted(about(requests), "more held-out request")}${outside}`;
  return `about ${counted(about(workflows), "more workflow")} with ${counted(about(requests), "request")}${outside}`;
}

/** Describes the missing data of a target; empty if nothing is missing. */
export function missingText(missing: MissingData, claim: Pick<PlannedClaim, "claim">): string {
  switch (missing.kind) {
    case "nothing":
      return "";
    case "more":
      return `${moreText(missing, claim)}${missing.probability >= likely ? "" : ` (passes ${oftenText(missing.probability)})`}`;
    case "more_out_of_scope":
      return `about ${counted(about(missing.out_of_scope), "more out-of-scope request")}`;
    case "not_known":
      return "not searched";
    case "out_of_reach":
      return "more than ten times the current data";
  }
}

/** Formats a simulated share, rounded down; never as 100%, which a simulation cannot show. */
export const plannedShareText = (share: number): string =>
  share > 0.99 ? "over 99%" : `${Math.floor(100 * share + 1e-9)}%`;

export const claimNames: Readonly<Record<PlannedClaim["claim"], string>> = {
  "new-workflows": "new workflows",
  "fixed-catalog": "this catalog",
};

export const planHeading = ["claim", "target", "certifies", "routes", "missing"] as const;

export function planRows({ claims }: Pick<CalibrationPlan, "claims">): readonly (readonly string[])[] {
  return claims.flatMap((claim) =>
    claim.targets.map((one) => [
      claimNames[claim.claim],
      formatPercent(one.target),
      plannedShareText(one.probability),
      one.coverage === null ? "nothing" : plannedShareText(one.coverage),
      missingText(one.missing, claim),
    ]),
  );
}

const sizeText = ({ workflows, requests, out_of_scope: outOfScope }: DataSize): string =>
  `${counted(requests, "request")} (${formatCount(outOfScope)} out of scope) and ${counted(workflows, "workflow")}`;

/** Differences between simulated probabilities up to this value count as noise. */
const noise = 0.1;

/**
 * Explains targets that certify less often than a stricter one. The test of a looser target starts at a threshold that
 * routes more requests, so with few requests its probability can be smaller. A certificate for the stricter target also
 * holds for the looser one.
 */
function overtaken({ targets }: PlannedClaim): readonly string[] {
  return targets.flatMap(({ target, probability }, at) => {
    const stricter = targets.slice(0, at).toSorted((a, b) => b.probability - a.probability)[0];
    if (stricter === undefined || stricter.probability <= probability + noise) return [];
    const [asked, better] = [target, stricter.target].map(formatPercent);
    return [
      `A target of ${asked} is certified less often than ${better}, because with so few requests its test starts at a looser ` +
        `threshold. Plan for ${better}: a claim certified at ${better} also holds at ${asked}.`,
    ];
  });
}

/** States why there is no plan, once per distinct reason. */
function unplanned(claims: readonly PlannedClaim[]): readonly string[] {
  const reasons = [...new Set(claims.flatMap(({ unknown }) => unknown ?? []))];
  return reasons.map((reason) => {
    const names = claims.filter(({ unknown }) => unknown === reason).map(({ claim }) => claimNames[claim]);
    return `No plan could be made for ${names.join(" or ")}. ${reason}`;
  });
}

function advisedLine(claim: PlannedClaim): string {
  const name = claimNames[claim.claim];
  const split = claim.needs_split === null ? "" : ` with a split by ${claim.needs_split}`;
  const basis = `For ${name}${split}, certification has ${sizeText(claim.present)}.`;
  if (claim.advised !== null) {
    return (
      `${basis} The strictest target that is likely to be certified and to route a tenth of the requests is ` +
      `${formatPercent(claim.advised)}: --claim ${claim.claim} --target ${claim.advised}`
    );
  }
  return `${basis} No target is certified with a probability of at least 80%.`;
}

/** States how many requests a forbidden candidate stops, the policy setting that changes this, and its risk. */
function ineligibleText({
  ineligible_competitors,
}: Pick<CalibrationPlan, "ineligible_competitors">): readonly string[] {
  if (ineligible_competitors === null) return [];
  const { requests, of, judged, wrong } = ineligible_competitors;
  return [
    `${formatCount(requests)} of ${counted(of, "request")} are declined because their best match is a workflow that the caller may ` +
      "not use (BETTER_MATCH_NOT_ALLOWED). Allow that workflow, or set `ineligible_competitors: 0` in the policy. The requests are then " +
      `judged by their best allowed workflow, which is wrong for ${formatCount(wrong)} of the ${formatCount(judged)} that have one.`,
  ];
}

export function planAdvice(plan: CalibrationPlan): readonly string[] {
  const { labelled, samples, delta, claims, notes, next_step: step } = plan;
  return [
    ...(step === undefined ? unplanned(claims) : [nextStepText(step)]),
    ...claims.flatMap((claim) => (claim.unknown === null ? [advisedLine(claim), ...overtaken(claim)] : [])),
    ...ineligibleText(plan),
    ...notes,
    ...(labelled.requests === 0
      ? []
      : [
          `Simulated ${formatCount(samples)} times per row at ${formatPercent(1 - delta)} confidence from ` +
            `${sizeText(labelled)}; ${formatCount(labelled.wrong)} would be routed wrongly without a threshold. No label of ` +
            "CERTIFY or EVAL was read.",
        ]),
  ];
}

/** "4 times out of 5"; rounded down. */
const oftenText = (probability: number): string =>
  probability >= likely ? "4 times out of 5" : `${Math.floor(10 * probability)} times out of 10`;

/** What the next target of a calibration needs: advice for its producer; empty if it was not searched. */
export const adviceOf = ({ next_step: step }: Pick<Calibration, "next_step">): readonly string[] =>
  step === undefined ? [] : [nextStepText(step)];

/** The wrong routes at which the test of the next target stops, whose labels come first, and what the target needs. */
export function nextStepText(step: NextStep): string {
  const target = formatPercent(step.target_risk);
  const parts = [...(step.stopped_at === null ? [] : [stopText(step.stopped_at, target)]), moreForTarget(step, target)];
  return parts.join(" ");
}

function moreForTarget({ requests, workflows, probability }: NextStep, target: string): string {
  if (requests === null) {
    return `More requests like these will not get you to ${target}: even ten times as many passed in fewer than half of the simulations.`;
  }
  const more = counted(about(requests), "more labelled request");
  const of = workflows === 0 ? "" : ` for ${counted(about(workflows), "more workflow")}`;
  return (
    `In simulations, a target of ${target} passes ${oftenText(probability)} with about ${more}${of} like these. ` +
    "A few errors more or less can double or halve this number."
  );
}

function stopText(
  { errors, routed, upper_bound: limit, without, wrong }: NonNullable<NextStep["stopped_at"]>,
  target: string,
) {
  const found = `The test of ${target} stops at ${formatCount(errors)} wrong of ${formatCount(routed)} routed, an upper limit of ${formatFixedPercentUp(limit)}.`;
  if (wrong.length === 0) return found;
  const routes = wrong.map(
    ({ id, right, routed: to, confidence }) =>
      `${id} (${right ?? "no workflow"}, routed to ${to ?? "none"} at ${confidence.toFixed(2)})`,
  );
  const [are, them] = wrong.length === 1 ? ["wrong route is", "it"] : ["wrong routes are", "them"];
  const count = wrong.length === 1 ? "" : `${["two", "three"][wrong.length - 2] ?? wrong.length} `;
  const labels = wrong.length === 1 ? "its label" : "their labels";
  return `${found} The ${count}most confident ${are}: ${routes.join(", ")}. Check ${labels} first: without ${them} the limit of this test would be ${formatFixedPercentUp(without)}; a second test on these labels is stricter.`;
}
