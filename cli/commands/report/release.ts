import { existsSync } from "node:fs";
import { statusSentence } from "../../../reports/release/page-status.js";
import { shortId } from "../../../src/base/text.js";
import { projectFileName } from "../../../src/documents/choices.js";
import type { WorkOf } from "../../command.js";
import type { reportReleaseSpec } from "../../specs/report.js";
import { writeReleasePage } from "../../../stages/report/write-release-page.js";

export const reportRelease: WorkOf<typeof reportReleaseSpec> = async (context, args) => {
  const project = context.inProject ? projectFileName : undefined;
  const { bundleId, page, status, ...written } = await writeReleasePage(context, { ...args, project });
  const sentence = statusSentence(status);
  const reserved = page.verdict === "pass" && page.reservation !== null ? ` (${page.reservation})` : "";
  const replace = existsSync(context.workspace.bundle) ? ["--replace"] : [];
  return {
    result: {
      file: written.file,
      media: written.media,
      bundle_id: bundleId,
      page_sha256: written.pageSha256,
      verdict: page.verdict,
      status: sentence,
    },
    fields: [
      ["bundle", shortId(bundleId)],
      ["file", context.here(written.file)],
      ["page", written.pageSha256],
      ["verdict", `${page.verdict}${reserved}: ${page.verdict_sentence}`],
      ["approvals", sentence],
    ],
    next:
      status.approvals?.approved === true
        ? [context.next("bundle", "export", "--bundle", shortId(bundleId), ...replace)]
        : [context.next("approve", "--bundle", shortId(bundleId), "--approver", "NAME", "--page", written.file)],
  };
};
