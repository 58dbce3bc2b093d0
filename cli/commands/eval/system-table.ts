import type { RankedSystem } from "../../../stages/compare/leaderboard.js";
import { shortId } from "../../../store/records/short-id.js";
import { table } from "../../table.js";

/** The usual numbers of systems with a reject option, one row each. */
export function systemTable(systems: readonly RankedSystem[]): readonly string[] {
  const share = (value: number | null, digits = 3): string => (value === null ? "-" : value.toFixed(digits));
  const rows = systems.map(({ runId, system, summary: s }) => [
    shortId(runId),
    system,
    String(s.requests),
    String(s.outOfScope),
    share(s.bestThreshold, 1),
    share(s.inScopeAccuracy),
    share(s.outOfScopeRecall),
    share(s.matthews),
    share(s.auroc.value),
    share(s.aurc.value),
    share(s.coverageAt90),
    share(s.coverageAt95),
    share(s.expectedCalibrationError.value),
  ]);
  const heading = [
    "run",
    "system",
    "n",
    "OOS",
    "best t",
    "in-acc",
    "OOS rec",
    "MCC",
    "AUROC",
    "AURC",
    "cov@90",
    "cov@95",
    "ECE",
  ];
  return table(rows, heading);
}
