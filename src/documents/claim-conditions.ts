import { counted, formatCount, formatPercent, formatPercentDown, formatPercentUp } from "./number-text.js";
import { type Calibration, type Claim, usedTiers } from "./calibration.js";

export type Condition = readonly [name: string, value: string];

const about: Readonly<Record<Claim["population"], string>> = {
  new_workflows: "requests for the current workflows, and to new ones of the same kind",
  this_catalog: "new requests for the workflows of this catalog that were tested",
};

/** Texts that no claim is about, whatever its population. */
const otherTexts =
  "texts that follow another one; two wishes and negations that the words of the policy do not recognise, by default English ones";

const notCovered: Readonly<Record<Claim["population"], string>> = {
  new_workflows: "another mix of requests; workflows whose risk rises with their scores; a single tier",
  this_catalog: "another mix of requests; workflows that were not tested, which are declined",
};

function notCoveredBy({ population, scope }: Claim): string {
  const other = scope === "overall" ? notCovered[population] : notCovered[population].replace("; a single tier", "");
  return `${other}; ${otherTexts}`;
}

function learned({ cross_fit }: Pick<Calibration, "cross_fit">): string {
  return cross_fit === null
    ? "learned on TUNE; tested on CERTIFY"
    : `learned on TUNE and CERTIFY, in ${counted(cross_fit.parts, "part")} by ${cross_fit.by}; each part is scored by a calibrator fitted on the others`;
}

function rising({ rising_risk }: Pick<Calibration, "rising_risk">): readonly Condition[] {
  if (rising_risk === null) return [];
  const { statistic, power } = rising_risk;
  const found = statistic > 1.645 ? "there is a sign of it" : "no sign of it";
  return [
    [
      "risk that rises with scores",
      `${found} (z ${statistic.toFixed(2)}; the test detects a strong rise in ${formatPercent(power, 2)} of cases)`,
    ],
  ];
}

/**
 * The out-of-scope share that the claim assumes. A share that was not declared and cannot be measured is unknown, not
 * 0.
 */
export function outOfScopeText({
  out_of_scope_share,
  traffic: { declared },
}: Pick<Calibration, "out_of_scope_share" | "traffic">): string {
  if (declared) return `at most ${formatPercent(out_of_scope_share, 2)} of the requests, declared`;
  return out_of_scope_share === 0
    ? "unknown: no tested request is out of scope, and no share is declared"
    : `at most ${formatPercentDown(out_of_scope_share)} of the requests, as labelled`;
}

/** Whose requests were tested: a narrower list changes which workflow is routed, and the mix of requests that fit none. */
const callersText = ({ traffic: { narrowed } }: Pick<Calibration, "traffic">): string =>
  narrowed === undefined
    ? "who may use every workflow; a narrower list is another mix of requests"
    : `with lists like those of the tested requests, of which ${formatCount(narrowed)} had one`;

/** The confidence level of the claim, and the joint level of all claims and calibrations on these labels. */
function confidenceText({ delta }: Claim, { joint_delta }: Calibration): string {
  const own = formatPercent(1 - delta, 2);
  if (delta >= joint_delta) return own;
  return `${own} in this test, so that all tests on these labels together have ${formatPercent(1 - joint_delta, 2)}`;
}

export function claimConditions(claim: Claim, calibration: Calibration): readonly Condition[] {
  const { routed, errors, requests, workflows, effective_routed, upper_bound, icc } = claim;
  return [
    ["holds for", about[claim.population]],
    [
      "tiers",
      usedTiers(calibration)
        .filter((tier) => claim.tiers.includes(tier))
        .join(", "),
    ],
    ["at most", `${formatPercent(claim.target_risk, 2)} wrong`],
    ["confidence", confidenceText(claim, calibration)],
    ["callers", callersText(calibration)],
    ["traffic", "requests in the mix of the labelled ones, each of which counts"],
    ["out of scope", outOfScopeText(calibration)],
    [
      "tested on",
      `${counted(requests, "request")} that a threshold could route: ${formatCount(routed)} routed, ${formatCount(errors)} of them wrong`,
    ],
    ["workflows", `${counted(workflows, "workflow")} and out-of-scope groups with a routed request`],
    [
      "counts as",
      `${counted(effective_routed, "independent request")}${icc === null ? ", near-copies and out-of-scope groups together" : `, correlation ${icc.toFixed(2)} within a workflow`}`,
    ],
    ["upper limit of wrong routes", upper_bound === null ? "none" : formatPercentUp(upper_bound)],
    ["calibrator", learned(calibration)],
    ...(calibration.fit.left_out
      ? [["scores", "each request with its near-copies left out of the examples"] as const]
      : []),
    ["method", calibration.method],
    ...rising(calibration),
    ["not covered", notCoveredBy(claim)],
  ];
}
