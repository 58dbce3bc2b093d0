import { riskTiers } from "../../src/domain/choices.js";
import type { Calibration, FitOptions } from "../../src/domain/calibration.js";
import { counted, formatCount, formatPercent } from "../../src/domain/number-text.js";
import type { ReportTable } from "../report-model.js";

function looserField({ looserTargets, looserShare }: FitOptions): readonly (readonly [string, string])[] {
  if (looserTargets.length === 0) return [];
  const targets = looserTargets.map((target) => formatPercent(target, 2)).join(", ");
  return [["Targets tested before it", `${targets}, at the threshold that routes ${formatPercent(looserShare, 2)}`]];
}

function optionRows(fit: FitOptions): readonly (readonly [string, string])[] {
  const required = riskTiers.flatMap((tier) => {
    const target = fit.requiredTiers[tier];
    return target === null ? [] : [`${tier} at most ${formatPercent(target, 2)}`];
  });
  const { tierMix, costs } = fit;
  return [
    ["Claim", fit.claim],
    ["Planned target", `at most ${formatPercent(fit.targetRisk, 2)} wrong`],
    ...looserField(fit),
    ["Tiers with a claim of their own", required.length === 0 ? "none" : required.join(", ")],
    ["Probability that a claim fails", formatPercent(fit.delta, 2)],
    ["Parts of the cross-fit", fit.crossFit === 1 ? "none: TUNE learns, CERTIFY tests" : formatCount(fit.crossFit)],
    ["Calibrator", fit.calibrator ?? "chosen by held-out loss"],
    [
      "Out-of-scope share",
      fit.outOfScopeShare === null
        ? "that of the tested requests"
        : `${formatPercent(fit.outOfScopeShare, 2)}, declared`,
    ],
    [
      "Tier mix",
      tierMix === null
        ? "that of the tested requests"
        : riskTiers.map((tier) => `${tier} ${formatPercent(tierMix[tier], 2)}`).join(", "),
    ],
    ["Costs", costs === null ? "none" : `wrong route ${costs.falseRoute}, fallback ${costs.fallback}`],
    ["Background requests, learned as out of scope and not tested", formatCount(fit.background?.rows ?? 0)],
    ["Errors that the first test allows, in the order tried", fit.startErrors.join(", ")],
    ["Correlation at the start", String(fit.startIcc)],
  ];
}

/** Options of the fit. Together with the scored records they determine every byte of the calibration. */
export function fitOptionTable({ fit }: Calibration): ReportTable {
  return {
    caption: "Options of the fit",
    columns: [
      { label: "Option", numeric: false },
      { label: "Value", numeric: false },
    ],
    rows: optionRows(fit),
  };
}

/** The calibrator, and what it was fitted on. */
export function calibratorText({ calibrator, method }: Calibration): string {
  return (
    `Calibrator ${calibrator.family}, fitted on ${counted(calibrator.fittedRequests, "request")}, ` +
    `${formatCount(calibrator.fittedErrors)} of them wrong. Test: ${method}.`
  );
}
