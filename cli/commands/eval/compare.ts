import { type ComparedRuns, compareStoredRuns } from "../../../stages/compare/compare-runs.js";
import type { Evaluation } from "../../../src/documents/evaluation.js";
import { withHistory } from "../../../store/records/with-history.js";
import { shortId } from "../../../src/base/text.js";
import type { WorkOf } from "../../command.js";
import type { evalCompareSpec } from "../../specs/eval.js";
import { applyGate } from "../../../eval/gates/apply-gate.js";
import { claimsOf, readGates } from "../../../stages/evaluate/hold-gates.js";
import { describeComparison, describeRankings } from "../../../reports/text/comparison-text.js";

export const evalCompare: WorkOf<typeof evalCompareSpec> = (context, args) =>
  withHistory(context, "read", async ({ history }) => {
    const rules = readGates(args.gate, args.a);
    const compared = compareStoredRuns(history, {
      a: { run: args.a, thresholds: { calibrationId: args.calibrationA, threshold: args.minConfidenceA } },
      b: { run: args.b, thresholds: { calibrationId: args.calibrationB, threshold: args.minConfidenceB } },
      fold: args.fold,
      withTexts: args.withTexts,
    });
    const { a, b, warnings } = compared;
    const claims = claimsOf(history, b.calibration_sha256);
    const gates = rules.map((rule) => applyGate(rule, { ...compared, claims }));
    return {
      result: { a: sideOf(a), b: sideOf(b), fold: args.fold, ...comparedJson(compared) },
      lines: [
        `  A  run ${shortId(a.run_sha256)}, ${thresholdsText(a.calibration_sha256)}`,
        `  B  run ${shortId(b.run_sha256)}, ${thresholdsText(b.calibration_sha256)}`,
        ...(await comparedLines(compared, args.flips)),
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
  });

const thresholdsText = (calibration: string | null): string =>
  calibration === null ? "no thresholds" : `thresholds ${calibration.slice(0, 12)}`;

/** Exactly one of the two is not null. */
function comparedJson({ comparison, rankings, texts }: ComparedRuns) {
  if (comparison === null) return { comparison: null, rankings: rankings };
  const flips = comparison.flips.map((flip) => ({
    ...flip,
    ...(texts === null ? {} : { text: texts.get(flip.id) ?? null }),
  }));
  return { comparison: { ...comparison, flips }, rankings: null };
}

async function comparedLines(compared: ComparedRuns, mostFlips: number): Promise<readonly string[]> {
  const { comparison, rankings, texts } = compared;
  if (comparison !== null) {
    return describeComparison(comparison, { texts, mostFlips });
  }
  return rankings === null ? [] : describeRankings(rankings, compared);
}

const sideOf = ({ run_sha256: run, calibration_sha256: thresholds }: Evaluation) => ({ run, thresholds });
