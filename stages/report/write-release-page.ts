import { optionsOf, requireOptions } from "../checked-options.js";
import type { PageStatus } from "../../reports/release/page-status.js";
import { pageForm } from "../../reports/page-form.js";
import { releaseBlocks } from "../../reports/release/release-blocks.js";
import type { ReleasePage } from "../../reports/release/release-page.js";
import { writePage, type WrittenPage } from "./page-file.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { readRelease, type ReadReleaseOptions } from "../sign.js";

export interface WriteReleasePageOptions extends ReadReleaseOptions {
  /** File with the extension .html, .md or .json. */
  readonly file: string;
}

export interface WrittenReleasePage extends WrittenPage {
  readonly bundleId: string;
  /** Digest of the signed part, which an approver signs. */
  readonly pageSha256: string;
  readonly page: ReleasePage;
  readonly status: PageStatus;
}

const writeReleasePageOptions = optionsOf<WriteReleasePageOptions>()({
  string: ["file", "environment", "bundle", "project", "trustFile", "revocationsFile"],
  "object|null": ["people"],
});

/**
 * Writes the page for an approver's decision: the claim, changes, concerns, and given and missing approvals. Saves
 * nothing in the history.
 *
 * @example await writeReleasePage(workbench, { file: "release.html" });
 * @throws {SluiceError} USAGE (extension), RECORD_NOT_FOUND, RECORD_AMBIGUOUS, FILE_NOT_FOUND, WRITE_FAILED
 */
export async function writeReleasePage(
  workbench: WorkbenchContext,
  options: WriteReleasePageOptions,
): Promise<WrittenReleasePage> {
  requireOptions("writeReleasePage", options, writeReleasePageOptions);
  const { file, ...release } = options;
  const form = pageForm(file, "For example: sluice report release --out release.html");
  const { bundleId, page, pageStatus: status } = await readRelease(workbench, release);
  const written = await writePage(file, form, { blocks: releaseBlocks(page, status), document: { page, status } });
  return { ...written, bundleId, pageSha256: status.page_sha256, page, status };
}
