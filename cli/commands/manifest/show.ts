import { defineCommand } from "../../command.js";
import { optional } from "../../options.js";
import { id } from "../../parsers.js";
import { withHistory } from "../../records.js";
import { shortId } from "../../short-id.js";
import { commandResult } from "../../result.js";
import { summaryLines } from "./summary-lines.js";

export const manifestShow = defineCommand({
  name: ["manifest", "show"],
  describe: "Show what an approver signs: claims, metrics and digests of a bundle",
  positionals: {},
  options: { bundle: optional(id, "bundle; the latest when absent") },
  examples: [
    ["sluice manifest show", "the latest bundle"],
    ["sluice manifest show --bundle 3f9c01ab --json", "another one, as data"],
  ],
  run: (context, args) =>
    withHistory(context, "read", async ({ history }) => {
      const { readManifest } = await import("../../stages/read-manifest.js");
      const { releaseSummary } = await import("../../stages/release-summary.js");
      const manifest = readManifest(history, args.bundle);
      const release = releaseSummary(history, manifest);
      const { decisionsAbout } = await import("../../stages/kept-decisions.js");
      const decisions = decisionsAbout(history, manifest.bundleId);
      const bundle = shortId(manifest.bundleId);
      return commandResult({
        schema: "manifest-show@1",
        result: { manifest: manifest.sha256, summary: release.summary, summary_sha256: release.sha256, decisions },
        lines: summaryLines(release, decisions),
        next: [context.nextLine("approve", "--bundle", bundle, "--approver", "NAME", "--key", "FILE")],
      });
    }),
});
