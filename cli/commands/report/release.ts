import { standingSentence } from "../../../reports/release/page-standing.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { defineCommand } from "../../command.js";
import { optional, preset } from "../../options.js";
import { id, name, path } from "../../parsers.js";
import { projectHere } from "../../project-here.js";
import { commandResult } from "../../result.js";
import { fields } from "../../table.js";

export const reportRelease = defineCommand({
  name: ["report", "release"],
  describe: "Write the page by which approvers decide: HTML, Markdown or JSON by the ending of the file",
  positionals: { bundle: optional(id, "bundle; the latest when absent") },
  options: {
    trust: optional(path, "trust policy that says who counts; trust.json of the workspace when absent"),
    revocations: optional(path, "revocation list; revocations.json beside the trust policy when absent"),
    environment: preset(name, "production", "environment of the approvals"),
    out: preset(path, "release.html", "file ending in .html, .md or .json"),
  },
  examples: [
    ["sluice report release", "the latest bundle, as one page that needs no network"],
    ["sluice report release 3f9c01ab --out release.md", "another one, as Markdown"],
  ],
  run: async (context, { bundle, trust, revocations, environment, out }) => {
    const { writeReleasePage } = await import("../../../workbench/use-cases/write-release-page.js");
    const { projectEnvironment } = await import("../../../workbench/release/draft-trust.js");
    const project = environment === projectEnvironment ? await projectHere() : null;
    const { bundleId, page, standing, ...written } = await writeReleasePage(context, {
      bundle,
      trustFile: trust,
      revocationsFile: revocations,
      environment,
      people: project?.people ?? null,
      file: out,
    });
    const sentence = standingSentence(standing);
    return commandResult({
      schema: "report-release@1",
      result: {
        file: written.file,
        media: written.media,
        bundle_id: bundleId,
        page_sha256: written.pageSha256,
        verdict: page.verdict,
        standing: sentence,
      },
      lines: fields([
        ["bundle", shortId(bundleId)],
        ["file", written.file],
        ["page", written.pageSha256],
        ["verdict", `${page.verdict}: ${page.verdict_sentence}`],
        ["approvals", sentence],
      ]),
      next:
        standing.approvals?.approved === true
          ? [context.nextLine("bundle", "export", "--bundle", shortId(bundleId))]
          : [context.nextLine("approve", "--bundle", shortId(bundleId), "--approver", "NAME", "--page", written.file)],
    });
  },
});
