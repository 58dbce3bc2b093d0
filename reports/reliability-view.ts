import type { Measured, ReliabilityBin } from "../src/documents/evaluation.js";
import { counted, formatMeasured, formatProportion, formatProportionOf, noData } from "../src/documents/number-text.js";
import { type ChartView, num, reportTable } from "./blocks.js";
import type { ReliabilityData } from "./charts/reliability.js";

/** Stated confidence against measured accuracy, and the expected calibration error. */
export interface Reliability {
  readonly bins: readonly ReliabilityBin[];
  readonly error: Measured;
}

/** The reliability diagram: stated confidence against the measured share of right answers, with 95 % Wilson bars. */
export function reliabilityView(
  { bins, error }: Reliability,
  title = "Reliability of the confidence",
): ChartView<ReliabilityData> {
  const n = bins.reduce((sum, bin) => sum + bin.n, 0);
  return {
    title,
    caption:
      "On the diagonal, a confidence of 0.8 is right 8 times in 10. Points below it are overconfident. Bars are 95 % " +
      `Wilson intervals; the columns below count the ${counted(n, "request")}. Expected calibration error: ` +
      `${formatMeasured(error)}.`,
    alt:
      n === 0
        ? `${title}: ${noData}.`
        : `${title}: reliability diagram of ${counted(n, "request")} in ${bins.length} bins, with the diagonal and a histogram ` +
          "of the counts. The values are in the table below the chart.",
    data: n === 0 ? null : { bins },
    table: reportTable(
      "Bins of the reliability diagram",
      [num("Confidence above"), num("up to"), num("Mean confidence"), num("Right / requests")],
      bins.map((bin) => [
        formatProportion(bin.lower),
        formatProportion(bin.upper),
        formatProportion(bin.mean_confidence),
        formatProportionOf(bin.correct, bin.n, [bin.accuracy_lower, bin.accuracy_upper]),
      ]),
    ),
  };
}
