import { counted, formatCount, formatPercent, formatPercentUp } from "./number-text.js";
import { riskTiers } from "./choices.js";
import type { Calibration, Claim } from "./calibration.js";

/** One condition of a claim in words: its name and its value. */
export type Condition = readonly [name: string, value: string];

const about: Readonly<Record<Claim["population"], string>> = {
  new_workflows: "requests to new workflows of the same kind, and to the present ones",
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
    : `TUNE and CERTIFY in ${counted(crossFit.parts, "part")} by ${crossFit.by}, each scored by a calibrator fitted on the others`;
}

function rising({ risingRisk }: Pick<Calibration, "risingRisk">): readonly Condition[] {
  if (risingRisk === null) return [];
  const { statistic, power } = risingRisk;
  const found = statistic > 1.645 ? "a sign of it" : "no sign of it";
  return [
    [
      "risk that rises with scores",
      `${found} (z ${statistic.toFixed(2)}; the test detects a strong rise in ${formatPercent(power, 2)} of cases)`,
    ],
  ];
}

/** The mix of workflows that a claim holds for. */
function trafficText({ traffic: { tierMix } }: Pick<Calibration, "traffic">): string {
  if (tierMix === null) return "workflows as often as in the labelled requests";
  const shares = riskTiers.map((tier) => `${tier} ${formatPercent(tierMix[tier], 2)}`).join(", ");
  return `workflows as often as in the labelled requests; estimated for the declared tiers ${shares}`;
}

/** The out-of-scope share that a claim holds for; a share that nobody declared and no request shows is unknown, not 0. */
export function outOfScopeText({
  outOfScopeShare,
  traffic: { declared },
}: Pick<Calibration, "outOfScopeShare" | "traffic">): string {
  if (declared) return `${formatPercent(outOfScopeShare, 2)} of the requests, declared`;
  return outOfScopeShare === 0
    ? "unknown: no tested request is out of scope, and no share is declared"
    : `${formatPercent(outOfScopeShare, 2)} of the requests, as labelled`;
}

/** The level of the test of a claim, next to the level that all claims and calibrations on these labels keep together. */
function confidenceText({ delta }: Claim, { jointDelta }: Calibration): string {
  if (delta === null) return "none: an average over calibrations";
  const own = formatPercent(1 - delta, 2);
  if (jointDelta === null || delta >= jointDelta) return own;
  return `${own} in this test, so that all tests on these labels together keep ${formatPercent(1 - jointDelta, 2)}`;
}

/** Under which conditions a claim holds, and what it rests on. */
export function claimConditions(claim: Claim, calibration: Calibration): readonly Condition[] {
  const { routed, errors, requests, workflows, effectiveRouted, upperBound, icc } = claim;
  return [
    ["holds for", about[claim.population]],
    ["tiers", claim.tiers.join(", ")],
    ["at most", `${formatPercent(claim.targetRisk, 2)} wrong`],
    ["confidence", confidenceText(claim, calibration)],
    ["traffic", trafficText(calibration)],
    ["out of scope", outOfScopeText(calibration)],
    [
      "tested on",
      `${counted(requests, "request")}: ${formatCount(routed)} routed, ${formatCount(errors)} of these wrong`,
    ],
    ["workflows", `${counted(workflows, "workflow")} and out-of-scope groups with a routed request`],
    [
      "counts as",
      `${counted(effectiveRouted, "independent request")}${icc === null ? "" : `, correlation ${icc.toFixed(2)}`}`,
    ],
    ["upper limit", upperBound === null ? "none" : formatPercentUp(upperBound)],
    ["learned on", learned(calibration)],
    ...(calibration.fit.leftOut
      ? [
          [
            "scored",
            "each request without the catalog examples of its family; one request of each family counts",
          ] as const,
        ]
      : []),
    ["method", calibration.method],
    ...rising(calibration),
    ["not covered", notCoveredBy(claim)],
  ];
}
