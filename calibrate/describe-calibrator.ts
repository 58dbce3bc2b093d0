import type { Calibration } from "../src/domain/calibration.js";
import type { Calibrator } from "../src/domain/calibrator.js";
import { count } from "./number-text.js";

function shapeOf(calibrator: Calibrator): string {
  switch (calibrator.family) {
    case "beta":
      return `a ${calibrator.a.toPrecision(3)}, b ${calibrator.b.toPrecision(3)}, c ${calibrator.c.toPrecision(3)}`;
    case "isotonic":
      return `${count(calibrator.logits.length)} steps joined by lines`;
    case "histogram":
      return `${count(calibrator.confidences.length)} bins`;
    case "venn-abers":
      return `${count(calibrator.lower.length)} classes of scores`;
    case "evidence":
      return weightsText(calibrator.weights);
    case "verifier-evidence":
      return `${weightsText(calibrator.weights)}, and ${count(calibrator.columns.length)} columns of the verifier`;
    case "catalog-evidence":
      return (
        `${weightsText(calibrator.weights)}, ${count(calibrator.columns.length)} columns of the verifier, and a shift ` +
        `for each of ${count(calibrator.workflows.length)} workflows`
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
    : `${family} ${heldOutLoss.toFixed(4)}`;
}

/** How scores become confidences, and what else was considered: mean held-out log-loss of each family. */
export function describeCalibrator({
  calibrator,
  calibratorCandidates,
}: Pick<Calibration, "calibrator" | "calibratorCandidates">): readonly string[] {
  const data = `fitted on ${count(calibrator.fittedRequests)} requests, ${count(calibrator.fittedErrors)} of them wrong`;
  const used =
    calibrator.family === "identity"
      ? "Scores are used as the verifier gives them: no calibrator was clearly better on held-out workflows."
      : `Scores are calibrated by ${calibrator.family}: ${shapeOf(calibrator)}; ${data}.`;
  if (calibratorCandidates.length === 0) return [used];
  return [used, `Held-out loss in nats: ${calibratorCandidates.map(candidateText).join(", ")}.`];
}
