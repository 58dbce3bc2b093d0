import { adviceOf } from "../../reports/text/plan-text.js";
import type { GateOutcome } from "../../eval/gates/apply-gate.js";
import { judgeClaim } from "../../reports/judge-release.js";
import { claimOutcome } from "../../reports/claim-outcome.js";
import { counted, formatTenthsPercentDown } from "../../src/documents/number-text.js";
import { isRetainedId } from "../import/seen-rows.js";
import { type Calibration, type Claim, scopeName } from "../../src/documents/calibration.js";
import type { Evaluation } from "../../src/documents/evaluation.js";

/** Verdict of a project's held-out rows on its claim, shown before anyone signs or approves it. */
export interface HeldOutFindings {
  /** Measured errors on the held-out rows, one sentence per claim. */
  readonly measured: readonly string[];
  /** Limitations of the claim, e.g. because no out-of-scope requests were tested. */
  readonly conditions: readonly string[];
  /** What would improve the verdict; empty if it is good. */
  readonly changes: readonly string[];
  /** The most confident wrong routes at which the next target stops, without retained rows: their labels may be wrong. */
  readonly suspects: NonNullable<NonNullable<Calibration["next_step"]>["stopped_at"]>["wrong"];
  /** One gate per certified claim: held-out requests do not contradict it. */
  readonly gates: readonly GateOutcome[];
}

export interface HeldOutInput {
  readonly calibration: Pick<Calibration, "claims" | "shortlist" | "out_of_scope_share" | "next_step"> &
    Partial<Pick<Calibration, "fit">>;
  readonly evaluation: Evaluation;
  readonly workflows: number;
  /** Warnings about the request texts, one sentence each, used if nothing is certified. */
  readonly oddTexts: readonly string[];
}

/** Compares the claims of a project with its held-out rows, by the same rule as the gates for approvers. */
export function heldOutVerdict(input: HeldOutInput): HeldOutFindings {
  const { calibration, evaluation, workflows, oddTexts } = input;
  const isDrawn = calibration.fit?.drawn_routes !== undefined;
  const outside = calibration.shortlist?.out_of_scope ?? 0;
  const certified = calibration.claims.filter((claim) => claim.certified);
  const judged = certified.map((claim) => ({ claim, ...judgeClaim(claim, evaluation, certified.length) }));
  const missed = judged.filter(({ heldOut }) => heldOut === "contradict");
  return {
    measured: judged.map(({ claim, reason }) => `${scopeOf(claim)}${reason}`),
    // Routes drawn from a log are tested as they come, whether or not they fit a workflow.
    conditions: isDrawn ? [] : conditionsOf(outside, calibration.out_of_scope_share, workflows),
    changes: [
      ...(certified.length === 0 ? oddTexts : []),
      ...missed.map(({ claim }) => looserTarget(claim, claimOutcome(claim, evaluation).wrong.estimate ?? 1)),
      ...adviceOf(calibration),
      ...(outside === 0 && !isDrawn ? ['Requests that belong to no workflow, with the label "none".'] : []),
    ],
    suspects: (calibration.next_step?.stopped_at?.wrong ?? []).filter(({ id }) => !isRetainedId(id)),
    gates: judged.map(({ claim, reason, heldOut }) => ({
      name: claim.scope === "overall" ? "claim" : `claim ${scopeName(claim.scope)}`,
      verdict: heldOut === "contradict" ? "fail" : "pass",
      message: reason,
    })),
  };
}

const scopeOf = ({ scope }: Claim): string => (scope === "overall" ? "" : `${scopeName(scope)}: `);

/** @param outside  number of out-of-scope requests that the claims count, and @param share  their share */
function conditionsOf(outside: number, share: number, workflows: number): readonly string[] {
  if (outside > 0) {
    return [
      `${counted(outside, "tested request is", "tested requests are")} out of scope (${formatTenthsPercentDown(share)})`,
    ];
  }
  if (workflows < 2) {
    return ["With one workflow and no out-of-scope requests, no route can be wrong, so the claim shows nothing"];
  }
  return ["No out-of-scope request was tested, so it is unknown how often such requests are routed"];
}

const targets = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5];

function looserTarget({ target_risk }: Claim, estimate: number): string {
  const looser = targets.find((target) => target > target_risk && target >= estimate);
  const write = looser === undefined ? "" : `, or "target: ${looser}" in sluice.yaml`;
  return `More labelled requests${write}. Then run again.`;
}
