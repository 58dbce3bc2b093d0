import type { Calibration, Claim, MixPoint, FitOptions } from "../src/domain/calibration.js";
import { riskTiers } from "../src/domain/choices.js";
import { claimConditions } from "../src/domain/claim-conditions.js";
import {
  counted,
  formatCount,
  formatFixedPercent,
  formatFixedPercentUp,
  formatPercent,
  formatFixedPercentDown,
  formatProportion,
} from "../src/domain/number-text.js";
import type { Calibrator } from "../src/domain/calibrator.js";

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}`.trimEnd());
}

function claimLines(claim: Claim, calibration: Calibration): readonly string[] {
  if (!claim.certified) return [claim.sentence, ""];
  return [claim.sentence, ...aligned(claimConditions(claim, calibration)), ""];
}

/** Each tier by itself: its threshold and results, independent of the overall claim. */
function tierLines({ tiers }: Calibration): readonly string[] {
  const rows = riskTiers.map((tier) => {
    const { confidence, errors, routed, lowerBound, upperBound, abstainReason, targetRisk } = tiers[tier];
    const claimed = targetRisk === null ? "none of its own" : `at most ${formatPercent(targetRisk)}`;
    if (confidence === null) return [tier, `abstains: ${abstainReason ?? "no reason given"}`, "", "", claimed];
    const interval =
      lowerBound === null || upperBound === null
        ? "none"
        : `${formatFixedPercent(lowerBound)} to ${formatFixedPercentUp(upperBound)}`;
    return [tier, String(confidence), `${formatCount(errors)} of ${formatCount(routed)}`, interval, claimed];
  });
  return aligned([["tier", "routes from", "wrong", "95 % interval", "claim"], ...rows]);
}

/** A calibration in plain words for the person who approves it: claims, conditions, each tier, traffic. */
export function describeCalibration(calibration: Calibration): readonly string[] {
  const { claims, clarifyThreshold, minRetrievalScore, certifiedWorkflows, warnings } = calibration;
  return [
    `Calibration ${calibration.calibrationVersion}`,
    "",
    ...claims.flatMap((claim) => claimLines(claim, calibration)),
    ...tierLines(calibration),
    "",
    ...(calibration.shortlist === undefined ? [] : [calibration.shortlist.sentence, ""]),
    `Population: ${calibration.population}`,
    ...(certifiedWorkflows === null
      ? []
      : [
          `Routes go only to the ${counted(certifiedWorkflows.length, "tested workflow")}; requests for others are declined.`,
        ]),
    ...describeCalibrator(calibration),
    ...describeTraffic(calibration),
    ...describeCost(calibration),
    clarifyThreshold >= 1
      ? "Missing inputs are asked for only at confidence 1."
      : `Missing inputs are asked for at confidence ${clarifyThreshold} or more (estimated on TUNE, not certified).`,
    `Requests whose best retrieval score is below ${minRetrievalScore} are declined.`,
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
}

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
  return [
    `${declared ? "Declared traffic" : "Traffic as labelled"}, estimated: ${mixText(expected)}${mix}`,
    ...otherTraffic(sensitivity),
  ];
}

function otherTraffic(sensitivity: readonly MixPoint[]): readonly string[] {
  if (sensitivity.every(({ coverage }) => coverage === null)) {
    return ["Other traffic: unknown, because no out-of-scope request was tested."];
  }
  return [
    "Other traffic, estimated (--out-of-scope-share certifies a claim for one of them):",
    ...sensitivity.map((point) => `  ${mixText(point)}`),
  ];
}

/** Savings at the chosen operating point; empty without costs. */
function describeCost({ operatingCost }: Pick<Calibration, "operatingCost">): readonly string[] {
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

function shapeOf(calibrator: Calibrator): string {
  switch (calibrator.family) {
    case "isotonic":
      return `${counted(calibrator.logits.length, "step")} joined by lines`;
    case "evidence":
      return weightsText(calibrator.weights);
    case "verifier-evidence":
      return `${weightsText(calibrator.weights)}, and ${counted(calibrator.columns.length, "column")} of the verifier`;
    case "catalog-evidence":
      return (
        `${weightsText(calibrator.weights)}, ${counted(calibrator.columns.length, "column")} of the verifier, and a shift ` +
        `for each of ${counted(calibrator.workflows.length, "workflow")}`
      );
    case "identity":
    case "temperature":
    case "platt":
      return `slope ${calibrator.slope.toPrecision(3)}, intercept ${calibrator.intercept.toPrecision(3)}`;
  }
}

function weightsText(weights: Readonly<Record<string, number>>): string {
  return Object.entries(weights)
    .map(([name, weight]) => `${name} ${weight.toPrecision(3)}`)
    .join(", ");
}

function candidateText({ family, heldOutLoss, refused }: Calibration["calibratorCandidates"][number]): string {
  return heldOutLoss === null
    ? `${family} not used (${refused ?? "no reason given"})`
    : `${family} ${formatProportion(heldOutLoss)}`;
}

function backgroundLines(background: FitOptions["background"]): readonly string[] {
  if (background === undefined) return [];
  const { rows, requestsSha256 } = background;
  return [
    `The calibrator learned ${formatCount(rows)} background requests (${requestsSha256.slice(0, 12)}) as out of scope; nothing was tested on them.`,
  ];
}

/** How scores become confidences, and what else was considered: mean held-out log-loss of each family. */
function describeCalibrator({
  calibrator,
  calibratorCandidates,
  fit,
}: Pick<Calibration, "calibrator" | "calibratorCandidates" | "fit">): readonly string[] {
  const data = `fitted on ${counted(calibrator.fittedRequests, "request")}, ${formatCount(calibrator.fittedErrors)} of them wrong`;
  const used =
    calibrator.family === "identity"
      ? "Scores are used as the verifier gives them: no calibrator was clearly better on held-out workflows."
      : `Scores are calibrated by ${calibrator.family}: ${shapeOf(calibrator)}; ${data}.`;
  const lines = [used, ...backgroundLines(fit?.background)];
  if (calibratorCandidates.length === 0) return lines;
  return [...lines, `Held-out loss in nats: ${calibratorCandidates.map(candidateText).join(", ")}.`];
}
