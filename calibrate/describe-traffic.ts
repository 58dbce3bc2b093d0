import type { Calibration, MixPoint } from "../src/domain/calibration.js";
import { riskTiers } from "../src/domain/choices.js";
import { formatFixedPercent, formatFixedPercentDown } from "../src/domain/number-text.js";

const shown = (value: number | null, text: (value: number) => string): string =>
  value === null ? "none" : text(value);

function mixText({ outOfScopeShare, coverage, falseRouteRate }: MixPoint): string {
  if (coverage === null) return `${formatFixedPercent(outOfScopeShare)} out of scope: unknown.`;
  if (coverage === 0) return `${formatFixedPercent(outOfScopeShare)} out of scope: nothing is routed.`;
  return (
    `${formatFixedPercent(outOfScopeShare)} out of scope: ${formatFixedPercent(coverage)} routed, ${shown(falseRouteRate, formatFixedPercent)} of those ` +
    "wrong."
  );
}

/**
 * The traffic that a calibration expects, and estimates for other shares of out-of-scope requests. Only the claims
 * are certified.
 */
export function describeTraffic({ traffic }: Pick<Calibration, "traffic">): readonly string[] {
  const { declared, tierMix, expected, sensitivity } = traffic;
  const mix =
    tierMix === null
      ? ""
      : ` Tiers in scope: ${riskTiers.map((tier) => `${tier} ${formatFixedPercent(tierMix[tier])}`).join(", ")}.`;
  if (expected.coverage === null || expected.coverage === 0) return [];
  const known = sensitivity.filter(({ coverage }) => coverage !== null);
  return [
    `${declared ? "Declared traffic" : "Traffic as labelled"}, estimated: ${mixText(expected)}${mix}`,
    ...(known.length === 0
      ? ["Other traffic: unknown, because no out-of-scope request was tested."]
      : ["Other traffic, estimated (--out-of-scope-share certifies a claim for one of them):"]),
    ...known.map((point) => `  ${mixText(point)}`),
  ];
}

/** Savings at the chosen operating point; empty without costs. */
export function describeCost({ operatingCost }: Pick<Calibration, "operatingCost">): readonly string[] {
  if (operatingCost === null) return [];
  const { falseRoute, fallback, withoutRouter, atMostCoverage, asShipped } = operatingCost;
  const amount = (value: number): string => String(Number(value.toPrecision(4)));
  const saving = withoutRouter === 0 ? 0 : 1 - asShipped / withoutRouter;
  return [
    `At ${amount(falseRoute)} for a wrong route and ${amount(fallback)} for a fallback a request costs ` +
      `${amount(asShipped)}: ${amount(withoutRouter)} without the router, ${amount(atMostCoverage)} at the certified ` +
      `points that route most. Saving: ${formatFixedPercentDown(saving)}.`,
  ];
}
