import type { Claim, TestStep } from "../../src/domain/calibration.js";
import { formatCount, formatPercent, formatPercentUp, formatUpper } from "../../src/domain/number-text.js";
import type { SweepData, SweepStep } from "../charts/threshold-sweep.js";
import type { ChartView } from "../report-model.js";
import { claimTitle } from "../claim-view.js";

const pointOf = (step: TestStep, claim: Claim): SweepStep => ({
  confidence: step.confidence,
  coverage: claim.requests === 0 ? 0 : step.routed / claim.requests,
  risk: step.routed === 0 ? 0 : step.errors / step.routed,
  upper: step.upperBound,
  passed: step.passed,
});

/** The step whose counts the claim states. */
function shippedStep({ certified, routed, errors, trace }: Claim): TestStep | undefined {
  if (!certified) return undefined;
  return trace.findLast((step) => step.passed && step.routed === routed && step.errors === errors);
}

function sweepOf(claim: Claim): SweepData | null {
  if (claim.trace.length === 0) return null;
  const steps = claim.trace.map((step) => pointOf(step, claim));
  const shipped = shippedStep(claim);
  const firstFailed = steps.find(({ passed }) => !passed) ?? null;
  const highest = Math.max(claim.targetRisk, ...steps.map(({ risk }) => risk), ...steps.map(({ upper }) => upper));
  return {
    steps,
    target: claim.targetRisk,
    operating: shipped === undefined ? null : pointOf(shipped, claim),
    firstFailed,
    riskMax: Math.min(1, 1.1 * Math.max(0.02, Math.min(highest, 3 * claim.targetRisk))),
  };
}

function captionOf(claim: Claim, data: SweepData | null): string {
  if (data === null) return "No threshold was tested.";
  const passed = data.steps.filter((step) => step.passed).length;
  const tested = `${formatCount(passed)} of ${formatCount(data.steps.length)} tested thresholds passed.`;
  const ships =
    data.operating === null
      ? "None ships."
      : `Ships ${data.operating.confidence}: ${formatPercent(data.operating.coverage, 1)} of the tested requests are ` +
        `routed, and at most ${formatPercentUp(data.operating.upper)} of those are wrong.`;
  const failed =
    data.firstFailed === null
      ? "No test failed."
      : `${data.firstFailed.confidence} failed: its upper limit is ${formatPercentUp(data.firstFailed.upper)}, the target ` +
        `${formatPercent(claim.targetRisk, 2)}.`;
  return `${tested} ${ships} ${failed}`;
}

/** The path of the certification of one claim, from the strictest threshold to the first that failed. */
export function sweepView(claim: Claim): ChartView<SweepData> {
  const title = claimTitle(claim.scope);
  const data = sweepOf(claim);
  const numeric = (label: string) => ({ label, numeric: true });
  return {
    title: `${title}: thresholds from strict to loose`,
    caption: captionOf(claim, data),
    alt: `${title}: risk and coverage at each tested threshold. ${captionOf(claim, data)}`,
    data,
    table: {
      caption: `${title}: tested thresholds, strictest first`,
      columns: [
        numeric("Confidence at least"),
        numeric("Routed"),
        numeric("Wrong"),
        numeric("Upper limit"),
        numeric("p"),
        { label: "Test", numeric: false },
      ],
      rows: claim.trace.map((step) => [
        String(step.confidence),
        formatCount(step.routed),
        formatCount(step.errors),
        formatPercentUp(step.upperBound),
        step.pValue === null ? "none" : formatUpper(step.pValue),
        step.passed ? "pass" : "fail",
      ]),
    },
  };
}
