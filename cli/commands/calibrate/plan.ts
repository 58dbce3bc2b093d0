import { givenOnly } from "../../../stages/choices.js";
import { shortId } from "../../../src/base/text.js";
import { fields, table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { calibratePlanSpec } from "../../specs/calibrate.js";
import { planCalibration } from "../../../stages/plan.js";
import { planAdvice, planHeading, planRows } from "../../../reports/text/plan-text.js";

export const calibratePlan: WorkOf<typeof calibratePlanSpec> = async (context, args) => {
  const { claim, targets, delta, crossFit, withFit, samples, seed: planSeed, calibrator, outOfScopeShare } = args;
  const { runId, planId, plan } = await planCalibration(
    context,
    givenOnly({
      run: args.run,
      claims: claim === undefined ? undefined : [claim],
      targets: [...new Set(targets)],
      delta,
      cross_fit: crossFit,
      withFit,
      samples,
      seed: planSeed,
      calibrator,
      out_of_scope_share: outOfScopeShare,
    }),
  );
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
