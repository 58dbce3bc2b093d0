import type { Calibration, MixPoint } from "../src/domain/calibration.js";
import { riskTiers } from "../src/domain/choices.js";
import { formatFixedPercent, formatFixedPercentDown } from "../src/domain/number-text.js";

const shown = (value: number | null, text: (value: number) => string): string =>
  value === null ? "none" : text(value);

function mixText({ outOfScopeShare, coverage, falseRouteRate }: MixPoint): string {
  if (coverage === null || coverage === 0)
    return `${formatFixedPercent(outOfScopeShare)} out of scope: nothing is routed.`;
  return (
    `${formatFixedPercent(outOfScopeShare)} out of scope: ${formatFixedPercent(coverage)} routed, ${shown(falseRouteRate, formatFixedPercent)} of those ` +
    "wrong."
  );
}

/**
 * The traffic that a calibration expects, and what other shares of out-of-scope requests would do: estimates. What is
 * certified is said by the claims alone.
 */
export function describeTraffic({ traffic }: Pick<Calibration, "traffic">): readonly string[] {
  const { declared, tierMix, expected, sensitivity } = traffic;
  const mix =
    tierMix === null
      ? ""
      : ` Tiers in scope: ${riskTiers.map((tier) => `${tier} ${formatFixedPercent(tierMix[tier])}`).join(", ")}.`;
  if (expected.coverage === null || expected.coverage === 0) return [];
  return [
    `${declared ? "Declared traffic" : "Traffic as tested"}, estimated: ${mixText(expected)}${mix}`,
    "Other traffic, estimated (--out-of-scope-share certifies a claim for one of them):",
    ...sensitivity.map((point) => `  ${mixText(point)}`),
  ];
}

/** What the chosen operating point saves; nothing when no costs were given. */
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
