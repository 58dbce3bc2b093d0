import { projectFileName } from "../../../src/documents/choices.js";
import { shortId } from "../../../src/base/text.js";
import { releaseText } from "../../../reports/release/release-text.js";
import type { WorkOf } from "../../command.js";
import type { manifestShowSpec } from "../../specs/manifest.js";
import { readRelease } from "../../../stages/sign.js";

export const manifestShow: WorkOf<typeof manifestShowSpec> = async (context, args) => {
  const project = context.inProject ? projectFileName : undefined;
  const read = await readRelease(context, { ...args, project });
  const { decisions, status, page, pageStatus, people } = read;
  const shown = shortId(read.bundleId);
  return {
    result: {
      manifest: read.manifestId,
      bundle_id: read.bundleId,
      page,
      page_sha256: pageStatus.page_sha256,
      decisions,
      status,
    },
    lines: releaseText(page, pageStatus),
    next: [
      status?.approved === true
        ? context.next("bundle", "export", "--bundle", shown)
        : context.next(
            "approve",
            "--bundle",
            shown,
            "--approver",
            "NAME",
            ...(people === null ? ["--key", "FILE"] : []),
          ),
    ],
  };
};
