import type { Invocation } from "../../src/base/invocation.js";
import { existsSync } from "node:fs";
import { counted } from "../../src/documents/number-text.js";
import { projectFileName } from "../../src/documents/choices.js";
import { shortId } from "../../src/base/text.js";
import { decisionJudge } from "../../stages/project/decision-judge.js";
import type { ReleaseStatusResult } from "../../release/release-status.js";
import { approveRelease, rejectRelease, type SignedDecisionOnRelease } from "../../stages/approve.js";
import type { PageOfRelease } from "../../stages/options/release.js";
import { reproductionText } from "../../reports/release/page-status.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { CommandContext } from "../context.js";
import { releaseLines, releaseNext } from "../release-lines.js";
import type { ResultParts } from "../result.js";
import { fields } from "../table.js";
import { withSigning } from "./key/signing-key.js";
import { releaseText } from "../../reports/release/release-text.js";
import type { WorkOf } from "../command.js";
import type { approveSpec, rejectSpec } from "../specs/decisions.js";

type Decision = Parameters<WorkOf<typeof approveSpec | typeof rejectSpec>>;

/** Shows the release page, asks for confirmation, then signs and stores the decision. */
async function signDecision(
  [context, args, own]: Decision,
  decide: typeof approveRelease | typeof rejectRelease,
): Promise<ResultParts> {
  const { approver, environment, trust, revocations, page } = args;
  if (args.days === 0)
    throw new SluiceError("USAGE", "--days: found 0, expected at least 1", { hint: "Use --days 30." });
  const project = context.inProject ? projectFileName : undefined;
  const { people, drafted } = await decisionJudge(context, { trust, revocations, environment, project });
  const createKey = drafted && people?.approvers.includes(approver) === true;
  const { platform, arch, node } = context.host;
  return withSigning(context, { ...own, key: own.key ?? approver, createKey }, async ({ open: signer, atMs }) => {
    const signed = await decide(context, {
      ...args,
      project,
      signer,
      platform: { platform, arch, node },
      confirm: (shown) => {
        // Check whether the person can sign before asking for confirmation.
        const needsOverride = decide === approveRelease && args.overrideGates === undefined;
        const refused = needsOverride && shown.page.failed_gates.length > 0;
        return confirmRelease(context, shown, { agreed: own.yes || refused, pageFile: page });
      },
      atMs,
    });
    return decidedParts(context, args.bundle, signed);
  });
}

function decidedParts(
  context: CommandContext,
  bundle: Decision[1]["bundle"],
  { approvalCountText, ...signed }: SignedDecisionOnRelease,
): ResultParts {
  const { status, release: project, reproduction, decision, approver, environment, days } = signed;
  const decided = decision === "approve" ? "approved" : "rejected";
  return {
    result: signed,
    warnings:
      decision === "approve"
        ? []
        : [
            say`The bundle can no longer be exported, and later exports contain the rejection. To stop servers and copies that have this bundle, revoke it: ${command`sluice revoke --bundle ${shortId(signed.bundle_id)} --revoker NAME --key NAME --reason REASON`}`,
          ],
    lines: [
      ...fields([
        ["bundle", signed.bundle_id],
        [decided, `by ${approver} for ${environment}, for ${counted(days, "day")}`],
        ["record", shortId(signed.approval)],
        ["page", signed.page_sha256],
        ...(reproduction === null ? [] : [["stated", reproductionText(reproduction)] as const]),
      ]),
      ...(project === null ? fields([["approvals", approvalCountText]]) : []),
      ...(project === null ? [] : ["", ...releaseLines(context, project)]),
    ],
    next: project === null ? nextOf(context, shortId(signed.bundle_id), status) : releaseNext(context, project, bundle),
  };
}

function nextOf(context: CommandContext, bundle: string, { approved }: ReleaseStatusResult): readonly Invocation[] {
  const replace = existsSync(context.workspace.bundle) ? ["--replace"] : [];
  if (approved) return [context.next("bundle", "export", "--bundle", bundle, ...replace)];
  return [context.next("manifest", "show", "--bundle", bundle)];
}

/** Number of characters of the bundle id that a person types to agree. */
const typedCharacters = 8;

/**
 * Prints the release page on stderr and asks a person at the terminal to agree to it. Its last line is the digest that
 * the decision states. It does not contain other people's decisions, so that everybody signs the same page.
 * @param agreed  whether the caller agreed on the command line; the page is then printed as a note, unless the caller
 *   named the file of the page that was read
 * @throws {SluiceError} USAGE  there is no terminal, or the answer does not match
 */
async function confirmRelease(
  context: Pick<CommandContext, "askSecret" | "note">,
  { page, status }: PageOfRelease,
  { agreed, pageFile }: { readonly agreed: boolean; readonly pageFile: string | undefined },
): Promise<void> {
  const lines = releaseText(page, status);
  if (agreed) {
    if (pageFile === undefined) lines.forEach(context.note);
    return;
  }
  const bundle = status.bundle_id;
  if (context.askSecret === null) {
    throw new SluiceError("USAGE", "no terminal: the release cannot be confirmed", {
      hint:
        pageFile === undefined
          ? say`Read it with: ${command`sluice manifest show --bundle ${shortId(bundle)}`}; then add --yes, preferably with --page-digest SHA256.`
          : `Once you have read ${pageFile}, add --yes.`,
    });
  }
  const question = `To sign, type the first ${typedCharacters} characters of the bundle id (typing is hidden): `;
  const typed = await context.askSecret([...lines, "", question].join("\n"));
  if (typed.trim().toLowerCase() === bundle.slice(0, typedCharacters)) return;
  throw new SluiceError("USAGE", "the input is not the beginning of the bundle id; nothing was signed", {
    hint: "Run the command again.",
  });
}

export const approve: WorkOf<typeof approveSpec> = (...decision) => signDecision(decision, approveRelease);

export const reject: WorkOf<typeof rejectSpec> = (...decision) => signDecision(decision, rejectRelease);
