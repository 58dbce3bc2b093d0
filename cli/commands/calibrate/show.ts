import { describeCalibration } from "../../../reports/text/calibration-text.js";
import { shortId } from "../../../src/base/text.js";
import { readStored } from "../../../stages/history.js";
import { fields } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { calibrateShowSpec } from "../../specs/calibrate.js";

export const calibrateShow: WorkOf<typeof calibrateShowSpec> = async (context, { calibration: id }) => {
  const { sha256, bytes, document } = await readStored(context, { kind: "calibration", id });
  return {
    result: { calibration: sha256, document: JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown },
    lines: [...fields([["calibration", shortId(sha256)]]), "", ...describeCalibration(document)],
    next: [context.next("report", "eval")],
  };
};
