import type { Calibration, Claim } from "../src/domain/calibration.js";
import { riskTiers } from "../src/domain/choices.js";
import { claimConditions } from "../src/domain/claim-conditions.js";
import { describeCalibrator } from "./describe-calibrator.js";
import { describeCost, describeTraffic } from "./describe-traffic.js";
import {
  counted,
  formatCount,
  formatFixedPercent,
  formatFixedPercentUp,
  formatPercent,
} from "../src/domain/number-text.js";

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
