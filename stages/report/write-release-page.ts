import { command, say } from "../../src/base/error.js";
import { type OptionsOf, resolveOptions } from "../../src/base/options.js";
import { writeReleasePageOptions } from "../options/release.js";
import type { PageStatus } from "../../reports/release/page-status.js";
import { pageForm } from "../../reports/page-form.js";
import { releaseBlocks } from "../../reports/release/release-blocks.js";
import type { ReleasePage } from "../../reports/release/release-page.js";
import { writePage, type WrittenPage } from "./page-file.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import { readRelease } from "../sign.js";

export type WriteReleasePageOptions = OptionsOf<typeof writeReleasePageOptions>;

export interface WrittenReleasePage extends WrittenPage {
  readonly bundleId: string;
  /** Digest of the signed part, which an approver signs. */
  readonly pageSha256: string;
  readonly page: ReleasePage;
  readonly status: PageStatus;
}

/**
 * Writes the page for an approver's decision: the claim, changes, concerns, and given and missing approvals. Saves
 * nothing in the history.
 *
 * @example await writeReleasePage(workbench, { out: "release.html" });
 * @throws {SluiceError} USAGE (extension), RECORD_NOT_FOUND, RECORD_AMBIGUOUS, FILE_NOT_FOUND, WRITE_FAILED
 */
export async function writeReleasePage(
  workbench: WorkbenchContext,
  options: WriteReleasePageOptions = {},
): Promise<WrittenReleasePage> {
  const { out: file, ...release } = resolveOptions("writeReleasePage", writeReleasePageOptions, options);
  const form = pageForm(file, say`For example: ${command`sluice report release --out release.html`}`);
  const { bundle_id: bundleId, page, page_status: status } = await readRelease(workbench, release);
  const written = await writePage(file, form, { blocks: releaseBlocks(page, status), document: { page, status } });
  return { ...written, bundleId, pageSha256: status.page_sha256, page, status };
}
