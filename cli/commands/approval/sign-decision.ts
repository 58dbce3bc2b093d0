import { existsSync } from "node:fs";
import { projectFileName } from "../../../workbench/project/project-file.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { decisionJudge, type JudgeFiles } from "../../../workbench/release/decision-judge.js";
import type { ProjectRelease } from "../../../workbench/release/project-release.js";
import type { ReleaseSummary } from "../../../workbench/release/release-summary.js";
import type { StandingResult } from "../../../workbench/release/release-standing.js";
import {
  approveRelease,
  rejectRelease,
  type ReleaseDecisionOptions,
} from "../../../workbench/use-cases/decide-on-release.js";
import { SluiceError } from "../../../src/errors/error.js";
import type { CommandContext } from "../../context.js";
import { flag, optional, preset, required } from "../../options.js";
import { count, id, name, path, sha256, text } from "../../parsers.js";
import { releaseLines, releaseNext } from "../../release-lines.js";
import { type CommandResult, commandResult } from "../../result.js";
import { fields } from "../../table.js";
import { type Signing, type SigningArguments, signingOptions, withSigning } from "../key/signing-key.js";
import { confirmRelease } from "./confirm.js";

/** Options of `approve` and `reject`. */
export const decisionOptions = {
  bundle: optional(id, "bundle; the latest when absent"),
  approver: required(name, "who signs; an approver of the trust policy"),
  ...signingOptions,
  key: optional(path, "key: its name in the workspace, or a file; that of the approver by default"),
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

interface DecisionArguments extends Omit<SigningArguments, "key"> {
  readonly key: string | undefined;
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
  /** How far the release of the project is; null outside of a project. */
  readonly release: ProjectRelease | null;
}

/** Shows the release summary, has it confirmed, signs the decision about it and keeps it. */
export async function signDecision(
  context: CommandContext,
  args: DecisionArguments,
  decision: SignedDecision["decision"],
): Promise<CommandResult> {
  if (args.days === 0)
    throw new SluiceError("USAGE", "--days: found 0, expected at least 1", { hint: "Use --days 30." });
  const judged = { ...judgeOf(args), project: existsSync(projectFileName) ? projectFileName : undefined };
  const { people, drafted } = await decisionJudge(context, judged);
  const createKey = drafted && people?.approvers.includes(args.approver) === true;
  const signer = { ...args, key: args.key ?? args.approver, createKey };
  return withSigning(context, signer, (signing) => signOne(context, { args, decision, judged, signing }));
}

const judgeOf = ({ trust, revocations, environment }: DecisionArguments): JudgeFiles => ({
  trustFile: trust,
  revocationsFile: revocations,
  environment,
});

interface Signed {
  readonly args: DecisionArguments;
  readonly decision: SignedDecision["decision"];
  readonly judged: JudgeFiles & Pick<ReleaseDecisionOptions, "project">;
  readonly signing: Signing;
}

async function signOne(context: CommandContext, { args, decision, judged, signing }: Signed): Promise<CommandResult> {
  const { approver, environment, days, bundle, reason, overrideGates, renew, summary } = args;
  const signed = await (decision === "approve" ? approveRelease : rejectRelease)(context, {
    ...judged,
    bundle,
    approver,
    signer: signing.open,
    days,
    reason,
    overrideGates,
    renew,
    summarySha256: summary,
    confirm: (release, standing) => confirmRelease(context, release, { agreed: args.yes, standing }),
    atMs: signing.atMs,
  });
  const { release, standing, project } = signed;
  const result: SignedDecision = {
    approval: signed.approvalId,
    decision,
    approver,
    environment,
    days,
    summary: release.summary,
    summary_sha256: release.sha256,
    standing,
    release: project,
  };
  return commandResult({
    schema: `${decision}@2`,
    result,
    lines: [
      ...signedDecisionLines(result),
      ...fields([["standing", signed.standingText]]),
      ...(project === null ? [] : ["", ...releaseLines(context, project)]),
    ],
    next: project === null ? nextOf(context, shortId(signed.bundleId), standing) : releaseNext(context, project),
  });
}

function nextOf(context: CommandContext, bundle: string, { approved }: StandingResult): readonly string[] {
  if (approved) return [context.nextLine("bundle", "export", "--bundle", bundle)];
  return [context.nextLine("manifest", "show", "--bundle", bundle)];
}

/** The result in words. */
export function signedDecisionLines(signed: SignedDecision): readonly string[] {
  const decided = signed.decision === "approve" ? "approved" : "rejected";
  return fields([
    ["bundle", signed.summary.bundle_id],
    [decided, `by ${signed.approver} for ${signed.environment}, for ${signed.days} days`],
    ["record", shortId(signed.approval)],
    ["summary", signed.summary_sha256],
  ]);
}
