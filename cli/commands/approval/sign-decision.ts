import { SluiceError } from "../../../src/errors/error.js";
import type { CommandContext } from "../../context.js";
import { flag, optional, preset, required } from "../../options.js";
import { count, id, name, path, sha256, text } from "../../parsers.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { type CommandResult, commandResult } from "../../result.js";
import type { ReleaseSummary } from "../../../workbench/release/release-summary.js";
import type { DecisionOptions } from "../../../workbench/release/approve-bundle.js";
import type { StandingResult } from "../../../workbench/release/release-standing.js";
import { fields } from "../../table.js";
import { readRevocations } from "../../../workbench/release/read-revocations.js";
import { readTrust } from "../../../workbench/release/read-trust.js";
import { type SigningArguments, signingOptions, withSigning } from "../key/signing-key.js";
import { confirmRelease } from "./confirm.js";

/** Options of `approve` and `reject`. */
export const decisionOptions = {
  bundle: optional(id, "bundle; the latest when absent"),
  approver: required(name, "who signs; an approver of the trust policy"),
  ...signingOptions,
  environment: preset(name, "production", "environment for which the decision holds"),
  trust: optional(path, "trust policy that says who counts; trust.json of the workspace when absent"),
  revocations: optional(path, "revocation list; revocations.json beside the trust policy when absent"),
  renew: flag("sign although an approval of yours counts already, to extend it"),
  days: preset(count, "30", "days from now on for which it holds"),
  reason: optional(text, "why; it is signed too"),
  "override-gates": optional(text, "why a bundle whose gates are not met may serve all the same; it is signed too"),
  yes: flag("do not ask for a confirmation"),
  summary: optional(sha256, "digest of the summary that was read; another one is refused"),
} as const;

interface DecisionArguments extends SigningArguments {
  readonly bundle: string | undefined;
  readonly approver: string;
  readonly environment: string;
  readonly trust: string | undefined;
  readonly revocations: string | undefined;
  readonly renew: boolean;
  readonly days: number;
  readonly reason: string | undefined;
  readonly overrideGates: string | undefined;
  readonly yes: boolean;
  readonly summary: string | undefined;
}

/** Result of `approve` and `reject`. */
export interface SignedDecision {
  readonly approval: string;
  readonly decision: "approve" | "reject";
  readonly approver: string;
  readonly environment: string;
  readonly days: number;
  readonly summary: ReleaseSummary;
  readonly summary_sha256: string;
  /** How far the approvals are, this decision included. */
  readonly standing: StandingResult;
}

/** Shows the release summary, has it confirmed, signs the decision about it and keeps it. */
export async function signDecision(
  context: CommandContext,
  args: DecisionArguments,
  decision: SignedDecision["decision"],
): Promise<CommandResult> {
  if (args.days === 0)
    throw new SluiceError("USAGE", "--days: found 0, expected at least 1", { hint: "Use --days 30." });
  return withSigning(context, args, async (signing) => {
    const trustPolicyBytes = await readTrust(context, args.trust);
    const revocationBytes = await readRevocations(context, args);
    return withHistory(context, "write", async (stage) => {
      const { approveBundle, intendedDecision } = await import("../../../workbench/release/approve-bundle.js");
      const { readManifest } = await import("../../../workbench/release/read-manifest.js");
      const { releaseSummary, requireSummary } = await import("../../../workbench/release/release-summary.js");
      const { releaseStanding, standingLine } = await import("../../../workbench/release/release-standing.js");
      const manifest = readManifest(stage.history, args.bundle);
      const release = releaseSummary(stage.history, manifest);
      requireSummary(release, args.summary);
      const { approver, environment, days } = args;
      const options: DecisionOptions = {
        manifest,
        approver,
        fromMs: signing.atMs,
        decision,
        judge: { trustPolicyBytes, revocationBytes },
        environment,
        validDays: days,
        reason: args.reason ?? "",
        gateOverride: args.overrideGates ?? null,
        renew: args.renew,
      };
      intendedDecision(stage, options, null);
      const question = { trustPolicyBytes, revocationBytes, environment, now: new Date(context.clock()) };
      const before = releaseStanding(stage.history, manifest, question);
      await confirmRelease(context, release, { agreed: args.yes, standing: before });
      const { approvalId } = await approveBundle(stage, { ...options, signer: await signing.open() });
      const after = releaseStanding(stage.history, manifest, question);
      const result: SignedDecision = {
        approval: approvalId,
        decision,
        approver,
        environment,
        days,
        summary: release.summary,
        summary_sha256: release.sha256,
        standing: after.result,
      };
      return commandResult({
        schema: `${decision}@2`,
        result,
        lines: [...decisionLines(result), ...fields([["standing", standingLine(after)]])],
        next: after.result.approved
          ? [context.nextLine("bundle", "export", "--bundle", shortId(manifest.bundleId))]
          : [context.nextLine("manifest", "show", "--bundle", shortId(manifest.bundleId))],
      });
    });
  });
}

/** The result in words. */
export function decisionLines(signed: SignedDecision): readonly string[] {
  const decided = signed.decision === "approve" ? "approved" : "rejected";
  return fields([
    ["bundle", signed.summary.bundle_id],
    [decided, `by ${signed.approver} for ${signed.environment}, for ${signed.days} days`],
    ["record", shortId(signed.approval)],
    ["summary", signed.summary_sha256],
  ]);
}
