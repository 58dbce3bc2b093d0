import { commandResult } from "../../result.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { summaryLines } from "./summary-lines.js";
import type { WorkOf } from "../../command.js";
import type { manifestShowShape } from "../../shapes/manifest.js";
import { readRelease } from "../../../workbench/use-cases/read-release.js";

export const manifestShow: WorkOf<typeof manifestShowShape> = async (
  context,
  { bundle, trust, revocations, environment },
) => {
  const read = await readRelease(context, {
    bundle,
    trustFile: trust,
    revocationsFile: revocations,
    environment,
  });
  const { release, decisions, standing } = read;
  const shown = shortId(read.bundleId);
  return commandResult({
    schema: "manifest-show@2",
    result: {
      manifest: read.manifestId,
      summary: release.summary,
      summary_sha256: release.sha256,
      decisions,
      standing,
    },
    lines: summaryLines(release, { decisions, result: standing }),
    next: [
      standing?.approved === true
        ? context.nextLine("bundle", "export", "--bundle", shown)
        : context.nextLine("approve", "--bundle", shown, "--approver", "NAME", "--key", "FILE"),
    ],
  });
};
