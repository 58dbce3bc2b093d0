import { defineCommand } from "../../command.js";
import type { CommandContext } from "../../context.js";
import { optional, preset } from "../../options.js";
import { id, name, path } from "../../parsers.js";
import { withHistory } from "../../records.js";
import { commandResult } from "../../result.js";
import { shortId } from "../../short-id.js";
import type { StandingQuestion } from "../../stages/release-standing.js";
import { readIfThere, readRevocations } from "../bundle/read-revocations.js";
import { readTrust } from "../bundle/read-trust.js";
import { summaryLines } from "./summary-lines.js";

interface ShowArguments {
  readonly trust: string | undefined;
  readonly revocations: string | undefined;
  readonly environment: string;
}

export const manifestShow = defineCommand({
  name: ["manifest", "show"],
  describe: "Show what an approver signs, and who has signed",
  positionals: {},
  options: {
    bundle: optional(id, "bundle; the latest when absent"),
    trust: optional(path, "trust policy that says who counts; trust.json of the workspace when absent"),
    revocations: optional(path, "revocation list; revocations.json beside the trust policy when absent"),
    environment: preset(name, "production", "environment of the approvals"),
  },
  examples: [
    ["sluice manifest show", "the latest bundle"],
    ["sluice manifest show --bundle 3f9c01ab --json", "another one, as data"],
  ],
  run: async (context, args) => {
    const question = await standingQuestion(context, args);
    return withHistory(context, "read", async ({ history }) => {
      const { readManifest } = await import("../../stages/read-manifest.js");
      const { releaseSummary } = await import("../../stages/release-summary.js");
      const { releaseStanding, unjudgedDecisions } = await import("../../stages/release-standing.js");
      const manifest = readManifest(history, args.bundle);
      const release = releaseSummary(history, manifest);
      const standing =
        question === null
          ? { decisions: unjudgedDecisions(history, manifest.bundleId), result: null }
          : releaseStanding(history, manifest, question);
      const { decisions, result } = standing;
      const bundle = shortId(manifest.bundleId);
      return commandResult({
        schema: "manifest-show@2",
        result: {
          manifest: manifest.sha256,
          summary: release.summary,
          summary_sha256: release.sha256,
          decisions,
          standing: result,
        },
        lines: summaryLines(release, standing),
        next: [
          result?.approved === true
            ? context.nextLine("bundle", "export", "--bundle", bundle)
            : context.nextLine("approve", "--bundle", bundle, "--approver", "NAME", "--key", "FILE"),
        ],
      });
    });
  },
});

/** null where nobody named a trust policy and the workspace has none. */
async function standingQuestion(context: CommandContext, args: ShowArguments): Promise<StandingQuestion | null> {
  const { environment } = args;
  const trustPolicyBytes =
    args.trust === undefined ? await readIfThere(context.workspace.trust) : await readTrust(context, args.trust);
  if (trustPolicyBytes === null) return null;
  const revocationBytes = await readRevocations(context, args);
  return { trustPolicyBytes, revocationBytes, environment, now: new Date(context.clock()) };
}
