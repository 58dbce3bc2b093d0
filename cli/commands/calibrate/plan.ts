import { plannedClaimKinds, type PlannedClaimKind, plannedTargets } from "../../../calibrate/plan/calibration-plan.js";
import { type ClaimKind, claimKinds } from "../../../src/domain/calibration.js";
import { SluiceError } from "../../../src/errors/error.js";
import { toSnake } from "../../../src/domain/camel.js";
import { calibratorFamilyNames } from "../../../src/domain/calibrator.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { defineCommand } from "../../command.js";
import { flag, optional, preset } from "../../options.js";
import { choice, count, id, probability, seed } from "../../parsers.js";
import { commandResult } from "../../result.js";
import { fields, table } from "../../table.js";
import { shares, times } from "./simulation-values.js";

export const calibratePlan = defineCommand({
  name: ["calibrate", "plan"],
  describe: "Say which claims and targets the data can support, and what is missing, before anything is certified",
  positionals: {},
  options: {
    run: optional(id, "run; the latest when absent"),
    claim: optional(choice(...claimKinds), "claim to plan for, new-workflows or fixed-catalog; both when absent"),
    targets: preset(shares, plannedTargets.join(), "targets to plan for"),
    delta: preset(probability, "0.05", "probability that the claim fails"),
    calibrator: optional(
      choice(...calibratorFamilyNames),
      "family of the calibrator; chosen by held-out loss if absent",
    ),
    "cross-fit": preset(count, "8", "parts in which TUNE and CERTIFY learn and are tested"),
    "out-of-scope-share": optional(
      probability,
      "declared out-of-scope share in production; that of the data when absent",
    ),
    "with-fit": flag("read FIT too; only where no model learned from it and no text of it is an example"),
    samples: preset(times, "200", "simulated certifications behind each probability"),
    seed: preset(seed, "1", "seed of the simulation"),
  },
  examples: [
    ["sluice calibrate plan", "both claims, at 2 to 30 %, from the latest run"],
    [
      "sluice calibrate plan --claim fixed-catalog --out-of-scope-share 0.1 --json",
      "one claim for a declared mix, as data",
    ],
  ],
  run: async (context, args) => {
    const { planCalibration } = await import("../../../workbench/use-cases/plan-calibration.js");
    const { planAdvice, planHeading, planRows } = await import("../../../calibrate/plan/describe-plan.js");
    const { claim, targets, delta, crossFit, withFit, samples, seed: planSeed, calibrator, outOfScopeShare } = args;
    const { runId, plan } = await planCalibration(context, {
      run: args.run,
      ...(claim === undefined ? {} : { claims: [plannedClaim(claim)] }),
      targets,
      delta,
      crossFit,
      withFit,
      samples,
      seed: planSeed,
      ...(calibrator === undefined ? {} : { calibrator }),
      ...(outOfScopeShare === undefined ? {} : { outOfScopeShare }),
    });
    const advised = plan.claims.find((planned) => planned.advised !== null && planned.needsSplit === null);
    return commandResult({
      schema: "calibrate-plan@1",
      result: { run: runId, plan: toSnake(plan) },
      lines: [...fields([["run", shortId(runId)]]), "", ...table(planRows(plan), planHeading), "", ...planAdvice(plan)],
      next: [
        advised === undefined
          ? context.nextLine("calibrate", "fit")
          : context.nextLine("calibrate", "fit", "--claim", advised.claim, "--target", String(advised.advised)),
      ],
    });
  },
});

/** @throws {SluiceError} USAGE  a claim that no plan speaks about */
function plannedClaim(claim: ClaimKind): PlannedClaimKind {
  const planned = plannedClaimKinds.find((kind) => kind === claim);
  if (planned !== undefined) return planned;
  throw new SluiceError("USAGE", `--claim: found ${claim}, expected one of ${plannedClaimKinds.join(", ")}`, {
    hint: "Leave --claim out to plan for both.",
  });
}
