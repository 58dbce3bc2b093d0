import { projectFileName } from "../../../src/documents/choices.js";
import { shortId } from "../../../src/base/text.js";
import { releaseText } from "../../../reports/release/release-text.js";
import type { WorkOf } from "../../command.js";
import type { manifestShowSpec } from "../../specs/manifest.js";
import { readRelease } from "../../../stages/sign.js";

export const manifestShow: WorkOf<typeof manifestShowSpec> = async (context, args) => {
  const project = context.inProject ? projectFileName : undefined;
  const { people, page_status: pageStatus, ...read } = await readRelease(context, { ...args, project });
  const shown = shortId(read.bundle_id);
  return {
    result: read,
    lines: releaseText(read.page, pageStatus),
    next: [
      read.status?.approved === true
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
