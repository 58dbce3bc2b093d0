import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import type { WorkOf } from "../../command.js";
import type { reportEvalShape } from "../../shapes/report.js";
import { writeReport } from "../../../workbench/use-cases/write-report.js";
import { holdGates, readGates } from "../../../workbench/evaluation/hold-gates.js";

export const reportEval: WorkOf<typeof reportEvalShape> = async (
  context,
  { run, calibration, fold, out, gate, baseline, junit, withTexts, charts },
) => {
  const gates = readGates(gate, baseline);
  const written = await writeReport(context, { run, calibration, fold, file: out, withTexts, charts });
  const { file, verdict, sentence, runId, calibrationId } = written;
  const thresholds = calibrationId === null ? {} : { calibrationId };
  const held = await withHistory(context, "read", async ({ history }) =>
    holdGates(history, { gates, runId, thresholds, fold, baseline }),
  );
  return {
    result: {
      file,
      report: written.reportId,
      media: written.media,
      evaluation: written.evaluationId,
      verdict,
      sentence,
      ...(charts === undefined ? {} : { charts: written.charts }),
    },
    fields: [
      ["report", shortId(written.reportId)],
      ["file", file],
      ["verdict", `${verdict}: ${sentence}`],
    ],
    warnings: written.warnings,
    next:
      calibrationId !== null
        ? [context.nextLine("manifest", "create", "--producer", "NAME", "--key", "FILE")]
        : [context.nextLine("calibrate", "fit", "--run", shortId(runId))],
    gates: held,
    gateReport: { junit },
  };
};
