import { shortId } from "../../../src/base/text.js";
import { type CommandContext, signNext } from "../../context.js";
import type { Invocation } from "../../../src/base/invocation.js";
import type { WorkOf } from "../../command.js";
import type { reportEvalSpec } from "../../specs/report.js";
import { writeReport, type WrittenReport } from "../../../stages/report.js";

export const reportEval: WorkOf<typeof reportEvalSpec> = async (context, args, { junit }) => {
  const { minConfidence, charts } = args;
  const written = await writeReport(context, args);
  const { file, verdict, sentence } = written;
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
      ["file", context.here(file)],
      ["verdict", `${verdict}: ${sentence}`],
    ],
    warnings: written.warnings,
    next: nextStep(context, written, minConfidence),
    gates: written.gates,
    gateReport: { junit },
  };
};

function nextStep(
  context: CommandContext,
  { runId, calibrationId, imported }: WrittenReport,
  minConfidence: number | undefined,
): readonly Invocation[] {
  if (calibrationId !== null) return [signNext(context)];
  if (!imported) return [context.next("calibrate", "fit", "--run", shortId(runId))];
  if (minConfidence !== undefined) return [];
  return [context.next("report", "eval", "--run", shortId(runId), "--min-confidence", "0.5")];
}
