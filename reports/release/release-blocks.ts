import * as b from "../blocks.js";
import { badgeWith } from "../headline.js";
import { type PageStatus, statusSentence } from "./page-status.js";
import { annexTables, approvalTable, changeFacts, gateTable, metricTable } from "./page-tables.js";
import type { ReleasePage } from "./release-page.js";
import { statusComment } from "./status-comment.js";

/** Every sentence that is signed, with what it is about. */
const signedSentences = ({ claims, shortlist, follow_ups: followUps = [] }: ReleasePage) => [
  ...claims.map(({ scope, sentence }) => ({ scope, sentence })),
  ...(shortlist === undefined ? [] : [{ scope: "shortlists", sentence: shortlist }]),
  ...followUps.map((sentence) => ({ scope: "follow-ups", sentence })),
];

/**
 * The page of a release. Its last line contains the approval status at the time of writing, so that the page can be
 * rebuilt from its own content.
 */
export function releaseBlocks(page: ReleasePage, status: PageStatus): b.PageBlocks {
  const { producer, catalog_version: catalog, calibration_version: calibration } = page;
  const concerns = page.questions.filter(({ concern }) => concern);
  return {
    title: `Release ${page.release}: ${page.bundle_version}`,
    subtitle: `Produced by ${producer}, with catalog ${catalog} and calibration ${calibration}.`,
    verdict: {
      ...badgeWith(b.badgeOf(page.verdict), page.reservation),
      sentence: page.promise,
      detail: [page.basis, page.verdict_sentence, page.always_declined ?? ""].join(" ").trim(),
    },
    headline: page.headline,
    style,
    comment: statusComment(status),
    sections: [
      b.section("approvals", "Who has approved, and who is missing", [b.box("status", approvals(status))]),
      b.section("changes", "What changes in production", changes(page)),
      b.section("risks", "Questions before you sign", [
        concerns.length === 0
          ? b.text("No check found a problem. The annex lists all checks.")
          : b.facts(
              concerns.map(({ question, answer }) => ({ label: question, value: answer })),
              "question",
            ),
      ]),
      b.section("gates", "Gates", [
        b.table(gateTable(page)),
        page.failed_gates.length === 0
          ? null
          : b.text(["An approval needs ", { code: "--override-gates REASON" }, "; the reason is signed."]),
      ]),
      b.section("identity", "What is signed", [
        b.text("The producer signed this page as part of the manifest's evidence."),
        b.facts(
          b.factList([
            ["Bundle", status.bundle_id],
            ["This page (what an approver signs)", status.page_sha256],
          ]),
          "rows",
        ),
      ]),
      b.section("annex", "Annex", [
        b.heading("Every claim as it was signed"),
        b.list(signedSentences(page).map(({ scope, sentence }) => [{ strong: scope }, `: ${sentence}`])),
        ...annexTables(page, status).map(b.table),
      ]),
    ],
  };
}

function approvals(status: PageStatus): b.Blocks {
  const { approvals: given, as_of: asOf } = status;
  return [
    b.text([{ strong: statusSentence(status) }]),
    given === null || given.signed.length === 0 ? null : b.table(approvalTable(status)),
    given === null || given.approved || given.problems.length === 0 ? null : b.list(given.problems),
    b.muted(`As of ${asOf}. This section changes over time; it is not part of what is signed.`),
  ];
}

function changes({ changes: found, change_note: note }: ReleasePage): b.Blocks {
  if (found === null) return [b.text(note)];
  return [
    b.text(`Compared with release ${found.release}, ${found.bundle_version}. ${found.compared_on}`),
    found.metrics.length === 0 ? null : b.table(metricTable(found)),
    b.facts(changeFacts(found), "rows"),
  ];
}

/** In print, the annex starts on a new page. */
const style = `
main > section > h2 { margin: 22px 0 6px; padding-top: 8px; font-size: 1.15rem; }
td, th { overflow-wrap: break-word; }
.rows { display: grid; grid-template-columns: minmax(90px, max-content) minmax(0, 1fr); gap: 4px 18px; margin: 12px 0; font-size: 0.95rem; }
.rows dt { color: var(--muted); } .rows dd { margin: 0; overflow-wrap: break-word; }
.question { margin: 0 0 6px; padding-left: 18px; } .question dt { font-weight: 600; } .question dd { margin: 0 0 6px; }
.status { border: 1px solid var(--line); border-radius: 6px; padding: 10px 16px; }
.status p { margin: 0 0 6px; }
#annex { border-top: 4px double var(--line); margin-top: 40px; }
@media screen and (max-width: 640px) { table:has(thead th:nth-child(4)) { min-width: 540px; } }
@media (max-width: 640px) { .rows { grid-template-columns: minmax(0, 1fr); gap: 0; } .rows dd { margin-bottom: 6px; } }
@media print {
  @page { size: A4; margin: 9mm 12mm; }
  html { font-size: 9pt; } body { font-size: 8.5pt; line-height: 1.35; }
  h1 { font-size: 15pt; } header.page { padding-top: 0; }
  main > section > h2 { margin: 5pt 0 2pt; padding-top: 2pt; font-size: 10.5pt; }
  p { max-width: none; margin-bottom: 3pt; }
  .overall { margin-top: 6pt; padding: 6pt 10pt; } .overall .sentence { font-size: 9.5pt; margin: 2pt 0; }
  .headline { margin: 2pt 0; gap: 0 12pt; } .headline dt { font-size: 7.5pt; } .headline dd { font-size: 10pt; line-height: 1.1; }
  th, td { padding: 1.2pt 7pt 1.2pt 0; font-size: 7.8pt; line-height: 1.2; overflow-wrap: anywhere; } thead th { overflow-wrap: normal; } caption { padding: 2pt 0; }
  .rows { margin: 3pt 0; gap: 1pt 12pt; font-size: 8.5pt; } .question dt, .question dd { display: inline; margin: 0; }
  .question dt::after { content: " "; } .question dd::after { content: "\\A"; white-space: pre; }
  .status { padding: 5pt 10pt; }
  #annex { break-before: page; border: 0; margin-top: 0; }
}
`;
