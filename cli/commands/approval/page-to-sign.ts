import type { Stage } from "../../../workbench/records/stage.js";
import { type PageMoment, standingOfPage } from "../../../workbench/release/page/standing-of-page.js";
import { type StoredPage, storedPage } from "../../../workbench/release/page/stored-page.js";
import type { KeptManifest } from "../../../workbench/release/read-manifest.js";
import type { ShownPage } from "../manifest/summary-lines.js";
import { requirePage } from "../../../workbench/release/page/require-page.js";
import { readInput } from "../../../workbench/read-input.js";

/**
 * The release page whose digest will be signed, compared with the file that was read, where one is named.
 * @throws {SluiceError} IDENTITY_MISMATCH  the file differs in a byte; FILE_NOT_FOUND, READ_FAILED, USAGE
 */
export async function pageToSign(
  { history }: Stage,
  manifest: KeptManifest,
  file: string | undefined,
): Promise<StoredPage> {
  const stored = storedPage(history, manifest);
  if (file === undefined) return stored;
  requirePage({ file, bytes: await readInput(file) }, stored, manifest);
  return stored;
}

/** That page with the approvals of this moment, as the terminal shows it. */
export async function shownPage(moment: PageMoment): Promise<ShownPage> {
  return { page: moment.stored.page, standing: standingOfPage(moment) };
}
