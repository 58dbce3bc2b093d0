import type { ComparedRuns } from "../../../workbench/evaluation/compare-runs.js";
import { toSnake } from "../../../src/domain/camel.js";
import { defineCommand } from "../../command.js";
import { gatedResult, gateOptions, junitOption } from "../../gate-options.js";
import { flag, optional, preset, required } from "../../options.js";
import { count, id, probability } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { foldOption } from "./run-options.js";
import { shortId } from "../../../workbench/records/short-id.js";

export const evalCompare = defineCommand({
  name: ["eval", "compare"],
  describe: "Compare the decisions of two runs on the same requests: what flips, and by how much it matters",
  positionals: { a: required(id, "first run"), b: required(id, "second run") },
  options: {
    "calibration-a": optional(id, "calibration of the first run; the latest that applies to it when absent"),
    "calibration-b": optional(id, "calibration of the second run; the latest that applies to it when absent"),
    "min-confidence-a": optional(probability, "one confidence for all of the first run instead of a calibration"),
    "min-confidence-b": optional(probability, "one confidence for all of the second run instead of a calibration"),
    fold: foldOption("fold to compare on; all for every fold"),
    gate: gateOptions.gate,
    ...junitOption,
    "with-texts": flag("print the texts of the flips, from the dataset"),
    flips: preset(count, "20", "flips to print"),
  },
  examples: [
    ["sluice eval compare 3f9c01ab 77e1d2c4", "what changes from the first run to the second"],
    [
      "sluice eval compare 3f9c01ab 77e1d2c4 --gate 'coverage>=A-0.02' --gate 'worse_flips<=10'",
      "exit code 3 when a bar is missed",
    ],
  ],
  run: (context, args) =>
    withHistory(context, "read", async ({ history }) => {
      const { applyGate } = await import("../../../eval/gates/apply-gate.js");
      const { claimsOf, readGates } = await import("../../../workbench/evaluation/hold-gates.js");
      const { compareStoredRuns } = await import("../../../workbench/evaluation/compare-runs.js");
      const rules = readGates(args.gate, args.a);
      const compared = compareStoredRuns(history, {
        a: { run: args.a, thresholds: { calibrationId: args.calibrationA, threshold: args.minConfidenceA } },
        b: { run: args.b, thresholds: { calibrationId: args.calibrationB, threshold: args.minConfidenceB } },
        fold: args.fold,
        withTexts: args.withTexts,
      });
      const { a, b, warnings } = compared;
      const claims = claimsOf(history, b.calibrationSha256);
      const gates = rules.map((rule) => applyGate(rule, { ...compared, claims }));
      const parts = {
        schema: "eval-compare@1",
        result: { a: sideOf(a), b: sideOf(b), fold: args.fold, ...comparedJson(compared) },
        lines: [
          `  A  run ${shortId(a.runSha256)}, ${thresholdsText(a.calibrationSha256)}`,
          `  B  run ${shortId(b.runSha256)}, ${thresholdsText(b.calibrationSha256)}`,
          ...(await comparedLines(compared, args.flips)),
        ],
        gates,
        warnings,
        next:
          compared.comparison === null
            ? [
                ...new Set(
                  [a, b].map(({ runSha256 }) => context.nextLine("calibrate", "fit", "--run", shortId(runSha256))),
                ),
              ]
            : [],
      };
      return gatedResult(parts, { suite: "sluice eval compare", junit: args.junit });
    }),
});

const thresholdsText = (calibration: string | null): string =>
  calibration === null ? "no thresholds" : `thresholds ${calibration.slice(0, 12)}`;

/** Exactly one of the two is not null. */
function comparedJson({ comparison, rankings, texts }: ComparedRuns) {
  if (comparison === null) return { comparison: null, rankings: toSnake<unknown>(rankings) };
  const flips = comparison.flips.map((flip) => ({
    ...flip,
    ...(texts === null ? {} : { text: texts.get(flip.id) ?? null }),
  }));
  return { comparison: toSnake<unknown>({ ...comparison, flips }), rankings: null };
}

async function comparedLines(compared: ComparedRuns, mostFlips: number): Promise<readonly string[]> {
  const { comparison, rankings, texts } = compared;
  if (comparison !== null) {
    const { describeComparison } = await import("../../../eval/compare-describe.js");
    return describeComparison(comparison, { texts, mostFlips });
  }
  const { describeRankings } = await import("../../../eval/describe-rankings.js");
  return rankings === null ? [] : describeRankings(rankings, compared);
}

const sideOf = ({
  runSha256,
  calibrationSha256,
}: {
  readonly runSha256: string;
  readonly calibrationSha256: string | null;
}) => ({
  run: runSha256,
  thresholds: calibrationSha256,
});
