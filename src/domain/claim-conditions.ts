import { formatCount, formatPercent, formatPercentUp } from "./number-text.js";
import type { Calibration, Claim } from "./calibration.js";

/** One condition of a claim in words: its name and its value. */
export type Condition = readonly [name: string, value: string];

const about: Readonly<Record<Claim["population"], string>> = {
  new_workflows: "requests to new workflows of the same kind, and to those of today",
  this_catalog: "new requests to the workflows of this catalog that were tested",
};

const notCovered: Readonly<Record<Claim["population"], string>> = {
  new_workflows: "another mix of requests; workflows whose risk rises with their scores; a single tier",
  this_catalog: "another mix of requests; workflows that were not tested, which are declined",
};

function notCoveredBy({ population, scope }: Claim): string {
  return scope === "overall" ? notCovered[population] : notCovered[population].replace("; a single tier", "");
}

function learned({ crossFit }: Pick<Calibration, "crossFit">): string {
  return crossFit === null
    ? "TUNE learned, CERTIFY was tested"
    : `TUNE and CERTIFY in ${crossFit.parts} parts by ${crossFit.by}, each scored by a calibrator of the others`;
}

function rising({ risingRisk }: Pick<Calibration, "risingRisk">): readonly Condition[] {
  if (risingRisk === null) return [];
  const { statistic, power } = risingRisk;
  const found = statistic > 1.645 ? "a sign of it" : "no sign of it";
  return [
    [
      "risk that rises with scores",
      `${found} (z ${statistic.toFixed(2)}; the test shows a strong one in ${formatPercent(power, 2)})`,
    ],
  ];
}

/** Under which conditions a claim holds, and what it rests on. */
export function claimConditions(claim: Claim, calibration: Calibration): readonly Condition[] {
  const { delta, routed, errors, requests, workflows, effectiveRouted, upperBound, icc } = claim;
  const { traffic, outOfScopeShare } = calibration;
  return [
    ["holds for", about[claim.population]],
    ["tiers", claim.tiers.join(", ")],
    ["at most", `${formatPercent(claim.targetRisk, 2)} wrong`],
    ["confidence", delta === null ? "none: an average over calibrations" : formatPercent(1 - delta, 2)],
    [
      "out of scope",
      `${formatPercent(outOfScopeShare, 2)} of the requests${traffic.declared ? ", declared" : ", as tested"}`,
    ],
    [
      "tested on",
      `${formatCount(requests)} requests, ${formatCount(routed)} of them routed, ${formatCount(errors)} wrong`,
    ],
    ["workflows", `${formatCount(workflows)} workflows and out-of-scope groups with a routed request`],
    [
      "counts as",
      `${formatCount(effectiveRouted)} independent requests${icc === null ? "" : `, correlation ${icc.toFixed(2)}`}`,
    ],
    ["upper limit", upperBound === null ? "none" : formatPercentUp(upperBound)],
    ["learned on", learned(calibration)],
    ["method", calibration.method],
    ...rising(calibration),
    ["not covered", notCoveredBy(claim)],
  ];
}
