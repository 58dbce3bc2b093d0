import { counted } from "../../../src/documents/number-text.js";
import { shortId } from "../../../src/base/text.js";
import { writeCalibrationPage } from "../../../stages/report/write-calibration-page.js";
import type { WorkOf } from "../../command.js";
import type { reportCalibrationSpec } from "../../specs/report.js";

export const reportCalibration: WorkOf<typeof reportCalibrationSpec> = async (context, args) => {
  const { page, ...written } = await writeCalibrationPage(context, args);
  return {
    result: {
      file: written.file,
      media: written.media,
      calibration: written.calibrationId,
      certified: page.certified,
      promise: page.promise,
      charts: written.charts,
    },
    fields: [
      ["calibration", shortId(written.calibrationId)],
      ["file", context.here(written.file)],
      ...(written.charts.length === 0 ? [] : [["charts", counted(written.charts.length, "file")] as const]),
      ["claim", page.promise],
    ],
    warnings: page.warnings,
    next: [context.next("report", "eval", "--calibration", shortId(written.calibrationId))],
  };
};
