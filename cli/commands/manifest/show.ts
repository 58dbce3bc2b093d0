import { defineCommand } from "../../command.js";
import { optional, preset } from "../../options.js";
import { id, name, path } from "../../parsers.js";
import { projectHere } from "../../project-here.js";
import { commandResult } from "../../result.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { summaryLines } from "./summary-lines.js";

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
  run: async (context, { bundle, trust, revocations, environment }) => {
    const { readRelease } = await import("../../../workbench/use-cases/read-release.js");
    const { projectEnvironment } = await import("../../../workbench/release/draft-trust.js");
    const read = await readRelease(context, {
      bundle,
      trustFile: trust,
      revocationsFile: revocations,
      environment,
      people: environment === projectEnvironment ? ((await projectHere())?.people ?? null) : null,
    });
    const { release, decisions, standing, page, pageStanding } = read;
    const shown = shortId(read.bundleId);
    return commandResult({
      schema: "manifest-show@2",
      result: {
        manifest: read.manifestId,
        summary: release.summary,
        summary_sha256: release.sha256,
        page,
        page_sha256: pageStanding.page_sha256,
        decisions,
        standing,
      },
      lines: summaryLines(release, { page, standing: pageStanding }),
      next: [
        standing?.approved === true
          ? context.nextLine("bundle", "export", "--bundle", shown)
          : context.nextLine("approve", "--bundle", shown, "--approver", "NAME", "--key", "FILE"),
      ],
    });
  },
});
