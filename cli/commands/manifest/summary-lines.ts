import type { PageStanding } from "../../../reports/release/page-standing.js";
import type { ReleasePage } from "../../../reports/release/release-page.js";
import { releaseText } from "../../../reports/release/release-text.js";
import type { ConsultedList } from "../../../workbench/release/release-standing.js";
import type { SummaryWithDigest } from "../../../workbench/release/release-summary.js";

/** The revocation list that judged, in words. */
export function consultedText(list: ConsultedList | null): string {
  return list === null ? "none was consulted" : `list ${list.sequence} of ${list.issued_at}`;
}

/** What an approver reads: the release page with the approvals of this moment. */
export interface ShownPage {
  readonly page: ReleasePage;
  readonly standing: PageStanding;
}

/**
 * What an approver reads before signing, in words: the release page for a terminal. The last two lines are the digests that
 * the approval states. What others decided is shown and is in neither, so that everybody signs the same.
 */
export function summaryLines({ sha256 }: Pick<SummaryWithDigest, "sha256">, shown: ShownPage): readonly string[] {
  return [...releaseText(shown.page, shown.standing), `summary ${sha256}`];
}
