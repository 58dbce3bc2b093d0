import { defineCommand } from "../../command.js";
import { optional } from "../../options.js";
import { id } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";

export const calibrateShow = defineCommand({
  name: ["calibrate", "show"],
  describe: "Say in words what a calibration promises and on what evidence",
  positionals: {},
  options: { calibration: optional(id, "calibration; the latest when absent") },
  examples: [
    ["sluice calibrate show", "the latest calibration"],
    ["sluice calibrate show --calibration 3f9c01ab --json", "another one, as data"],
  ],
  run: (context, args) =>
    withHistory(context, "read", async (stage) => {
      const { readCalibration } = await import("../../../workbench/records/read-records.js");
      const { describeCalibration } = await import("../../../calibrate/describe-calibration.js");
      const calibration = readCalibration(stage.history, args.calibration);
      return commandResult({
        schema: "calibrate-show@1",
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
      });
    }),
});
