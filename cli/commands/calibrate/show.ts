import { withHistory } from "../../../store/records/with-history.js";
import { shortId } from "../../../src/base/text.js";
import { fields } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { calibrateShowSpec } from "../../specs/calibrate.js";
import { readCalibration } from "../../../store/records/read-records.js";
import { describeCalibration } from "../../../reports/text/calibration-text.js";

export const calibrateShow: WorkOf<typeof calibrateShowSpec> = (context, args) =>
  withHistory(context, "read", async (session) => {
    const calibration = readCalibration(session.history, args.calibration);
    return {
      result: {
        calibration: calibration.sha256,
        document: JSON.parse(calibration.bytes.toString("utf8")) as unknown,
      },
      lines: [
        ...fields([["calibration", shortId(calibration.sha256)]]),
        "",
        ...describeCalibration(calibration.document),
      ],
      next: [context.nextLine("report", "eval")],
    };
  });
