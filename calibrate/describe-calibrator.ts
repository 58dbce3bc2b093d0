import type { Calibration, FitOptions } from "../src/domain/calibration.js";
import type { Calibrator } from "../src/domain/calibrator.js";
import { counted, formatCount, formatProportion } from "../src/domain/number-text.js";

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
export function describeCalibrator({
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
