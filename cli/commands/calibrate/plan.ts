import { shortId } from "../../../src/base/text.js";
import { fields, table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { calibratePlanSpec } from "../../specs/calibrate.js";
import { planCalibration } from "../../../stages/plan.js";
import { planAdvice, planHeading, planRows } from "../../../reports/text/plan-text.js";

export const calibratePlan: WorkOf<typeof calibratePlanSpec> = async (context, args) => {
  const { runId, planId, plan } = await planCalibration(context, args);
  const advised = plan.claims.find((planned) => planned.advised !== null && planned.needs_split === null);
  return {
    result: { run: runId, plan_id: planId, plan },
    lines: [
      ...fields([
        ["run", shortId(runId)],
        ["plan", shortId(planId)],
      ]),
      "",
      ...(planRows(plan).length === 0 ? [] : [...table(planRows(plan), planHeading), ""]),
      ...planAdvice(plan),
    ],
    next: [
      advised === undefined
        ? context.next(...(context.inProject ? ["run"] : ["calibrate", "fit"]))
        : context.next("calibrate", "fit", "--claim", advised.claim, "--target", String(advised.advised)),
    ],
  };
};
