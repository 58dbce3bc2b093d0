import { shortId } from "../../../workbench/records/short-id.js";
import { writeCalibrationPage } from "../../../workbench/use-cases/write-calibration-page.js";
import type { WorkOf } from "../../command.js";
import { commandResult } from "../../result.js";
import type { reportCalibrationShape } from "../../shapes/report.js";
import { fields } from "../../table.js";

export const reportCalibration: WorkOf<typeof reportCalibrationShape> = async (
  context,
  { calibration, withPlan, charts, out },
) => {
  const { page, ...written } = await writeCalibrationPage(context, { calibration, withPlan, charts, file: out });
  return commandResult({
    schema: "report-calibration@1",
    result: {
      file: written.file,
      media: written.media,
      calibration: written.calibrationId,
      certified: page.certified,
      promise: page.promise,
      charts: written.charts,
    },
    lines: fields([
      ["calibration", shortId(written.calibrationId)],
      ["file", written.file],
      ...(written.charts.length === 0 ? [] : [["charts", `${written.charts.length} files`] as const]),
      ["claim", page.promise],
    ]),
    warnings: page.warnings,
    next: [context.nextLine("report", "eval", "--calibration", shortId(written.calibrationId))],
  });
};
