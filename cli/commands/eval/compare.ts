import { compareRuns } from "../../../stages/compare.js";
import type { ComparedRuns } from "../../../stages/compare/compare-runs.js";
import type { Evaluation } from "../../../src/documents/evaluation.js";
import { shortId } from "../../../src/base/text.js";
import type { WorkOf } from "../../command.js";
import type { evalCompareSpec } from "../../specs/eval.js";
import { describeComparison, describeRankings } from "../../../reports/text/comparison-text.js";

export const evalCompare: WorkOf<typeof evalCompareSpec> = async (context, args) => {
  const compared = await compareRuns(context, {
    a: { run: args.a, calibration: args.calibrationA, minConfidence: args.minConfidenceA },
    b: { run: args.b, calibration: args.calibrationB, minConfidence: args.minConfidenceB },
    fold: args.fold,
    withTexts: args.withTexts,
    gates: args.gate,
  });
  const { a, b, gates, warnings } = compared;
  return {
    result: { a: sideOf(a), b: sideOf(b), fold: a.fold, ...comparedJson(compared) },
    lines: [
      `  A  run ${shortId(a.run_sha256)}, ${thresholdsText(a.calibration_sha256)}`,
      `  B  run ${shortId(b.run_sha256)}, ${thresholdsText(b.calibration_sha256)}`,
      ...comparedLines(compared, args.flips),
    ],
    gates,
    gateReport: args,
    warnings,
    next:
      compared.comparison === null
        ? [
            ...new Set(
              [a, b].map(({ run_sha256 }) => context.nextLine("calibrate", "fit", "--run", shortId(run_sha256))),
            ),
          ]
        : [],
  };
};

const thresholdsText = (calibration: string | null): string =>
  calibration === null ? "no thresholds" : `thresholds ${calibration.slice(0, 12)}`;

/** Exactly one of the two is not null. */
function comparedJson({ comparison, rankings, texts }: ComparedRuns) {
  if (comparison === null) return { comparison: null, rankings };
  const flips = comparison.flips.map((flip) => ({
    ...flip,
    ...(texts === null ? {} : { text: texts.get(flip.id) ?? null }),
  }));
  return { comparison: { ...comparison, flips }, rankings: null };
}

function comparedLines(compared: ComparedRuns, mostFlips: number): readonly string[] {
  const { comparison, rankings, texts } = compared;
  if (comparison !== null) {
    return describeComparison(comparison, { texts, mostFlips });
  }
  return rankings === null ? [] : describeRankings(rankings, compared);
}

const sideOf = ({ run_sha256: run, calibration_sha256: thresholds }: Evaluation) => ({ run, thresholds });
