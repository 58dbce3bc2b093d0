import { readFileSync } from "node:fs";
import { join } from "node:path";
import { predictionMappings } from "../../eval/predictions/mappings.js";
import { predictionRuns } from "../../eval/predictions/prediction-records.js";
import { summarisePredictions } from "../../eval/predictions/prediction-summary.js";
import { readPredictions } from "../../eval/predictions/read-predictions.js";

/** Results of one system on one chatbot. Shares are in [0, 1]; null: undefined. */
export interface LeaderboardRow {
  readonly row: "hint3";
  readonly bot: string;
  readonly system: string;
  readonly source: "measured";
  readonly requests: number;
  readonly out_of_scope: number;
  /** The threshold among .1 to .9 with the highest Matthews correlation, and its results. */
  readonly best_threshold: number | null;
  readonly in_scope_accuracy: number | null;
  readonly out_of_scope_recall: number | null;
  readonly matthews: number | null;
  readonly auroc: number | null;
  readonly aurc: number | null;
  /** Largest share of all requests that can be answered at this accuracy; the threshold is chosen on the same rows. */
  readonly coverage_at_90: number | null;
  readonly coverage_at_95: number | null;
  readonly ece: number | null;
}

/** The leaderboard of five systems on three chatbots, from their predictions. */
export async function hint3Leaderboard(dataFolder: string): Promise<readonly LeaderboardRow[]> {
  const file = join(dataFolder, "hint3-predictions", "predictions.csv");
  const predictions = await readPredictions(
    { file, bytes: readFileSync(file) },
    { mapping: predictionMappings.hint3, by: [["bot"], ["system"]] },
  );
  return predictionRuns(predictions).map(({ by: [bot = "", system = ""], records }) => {
    const summary = summarisePredictions(records);
    return {
      row: "hint3",
      bot,
      system,
      source: "measured",
      requests: summary.requests,
      out_of_scope: summary.out_of_scope,
      best_threshold: summary.best_threshold,
      in_scope_accuracy: summary.in_scope_accuracy,
      out_of_scope_recall: summary.out_of_scope_recall,
      matthews: summary.matthews,
      auroc: summary.auroc.value,
      aurc: summary.aurc.value,
      coverage_at_90: summary.coverage_at_90,
      coverage_at_95: summary.coverage_at_95,
      ece: summary.expected_calibration_error.value,
    };
  });
}

const share = (value: number | null, digits = 3): string => (value === null ? "-" : value.toFixed(digits)).padStart(7);
const percent = (value: number | null): string => (value === null ? "-" : (100 * value).toFixed(1)).padStart(7);

/** Formats the leaderboard as lines: shares, and coverage in per cent. */
export function leaderboardTable(rows: readonly LeaderboardRow[]): readonly string[] {
  const head = ["best", "in-acc", "oos-rec", "mcc", "auroc", "aurc", "cov@90", "cov@95", "ece"];
  return [
    `${"hint3".padEnd(26)}${head.map((name) => name.padStart(7)).join("  ")}`,
    ...rows.map((row) => {
      const { best_threshold, in_scope_accuracy, out_of_scope_recall, matthews, auroc, aurc, ece } = row;
      const cells = [
        share(best_threshold, 1),
        ...[in_scope_accuracy, out_of_scope_recall, matthews, auroc, aurc].map((value) => share(value)),
        percent(row.coverage_at_90),
        percent(row.coverage_at_95),
        share(ece),
      ];
      return `${`${row.bot} ${row.system}`.padEnd(26)}${cells.join("  ")}`;
    }),
  ];
}
