import { type Html, html } from "../../src/base/html.js";
import { pageDocument } from "../page-document.js";
import { classOf, dataTable, pageSection, verdictBadge } from "../page-parts.js";
import { type PageStatus, statusSentence } from "./page-status.js";
import { annexTables, approvalTable, changeFacts, gateTable, metricTable } from "./page-tables.js";
import type { ReleasePage } from "./release-page.js";
import { statusComment } from "./status-comment.js";

/** In print, the annex starts on a new page. */
const releaseStyle = `
main > section > h2 { margin: 22px 0 6px; padding-top: 8px; font-size: 1.15rem; }
td, th { overflow-wrap: break-word; }
.rows { display: grid; grid-template-columns: minmax(90px, max-content) minmax(0, 1fr); gap: 4px 18px; margin: 12px 0; font-size: 0.95rem; }
.rows dt { color: var(--muted); } .rows dd { margin: 0; overflow-wrap: break-word; }
.question { margin: 0 0 6px; padding-left: 18px; } .question dt { font-weight: 600; } .question dd { margin: 0 0 6px; }
.status { border: 1px solid var(--line); border-radius: 6px; padding: 10px 16px; }
.status p { margin: 0 0 6px; }
.annex { border-top: 4px double var(--line); margin-top: 40px; }
@media screen and (max-width: 640px) { table:has(thead th:nth-child(4)) { min-width: 540px; } }
@media (max-width: 640px) { .rows { grid-template-columns: minmax(0, 1fr); gap: 0; } .rows dd { margin-bottom: 6px; } }
@media print {
  @page { size: A4; margin: 9mm 12mm; }
  html { font-size: 9pt; } body { font-size: 8.5pt; line-height: 1.35; }
  h1 { font-size: 15pt; } header.page { padding-top: 0; }
  main > section > h2 { margin: 6pt 0 2pt; padding-top: 2pt; font-size: 10.5pt; }
  p { max-width: none; margin-bottom: 3pt; }
  .overall { margin-top: 6pt; padding: 6pt 10pt; } .overall .sentence { font-size: 9.5pt; margin: 2pt 0; }
  th, td { padding: 1.5pt 7pt 1.5pt 0; font-size: 7.8pt; line-height: 1.2; overflow-wrap: anywhere; } thead th { overflow-wrap: normal; } caption { padding: 2pt 0; }
  .rows { margin: 3pt 0; gap: 1pt 12pt; font-size: 8.5pt; } .question dt, .question dd { display: inline; margin: 0; }
  .question dt::after { content: " "; } .question dd::after { content: "\\A"; white-space: pre; }
  .status { padding: 5pt 10pt; }
  .annex { break-before: page; border: 0; margin-top: 0; }
}
`;

function header(page: ReleasePage): Html {
  return html`<header class="page">
<h1>Release ${page.release}: ${page.bundle_version}</h1>
<p class="muted">Produced by ${page.producer}, with catalog ${page.catalog_version} and calibration ${page.calibration_version}.</p>
<div class="overall ${classOf(page.verdict)}">
${verdictBadge(page.verdict)}
<p class="sentence">${page.claim}</p>
<p>${page.verdict_sentence}</p>
</div>
</header>
`;
}

/** A vertical list of labels and values. */
function rowList(rows: readonly { readonly label: string; readonly value: string | Html }[]): Html {
  return html`<dl class="rows">${rows.map(({ label, value }) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`;
}

function changes({ changes: found, change_note: note }: ReleasePage): Html {
  if (found === null) return html`<p>${note}</p>`;
  return html`<p>Compared with release ${found.release}, ${found.bundle_version}. ${found.compared_on}</p>
${found.metrics.length === 0 ? null : dataTable(metricTable(found))}
${rowList(changeFacts(found))}`;
}

function concerns({ questions }: ReleasePage): Html {
  const open = questions.filter(({ concern }) => concern);
  if (open.length === 0) return html`<p>No check found a problem. The annex lists all checks.</p>`;
  return html`<dl class="question">${open.map(
    ({ question, answer }) => html`<dt>${question}</dt><dd>${answer}</dd>
`,
  )}</dl>`;
}

function gates(page: ReleasePage): Html {
  const failed =
    page.failed_gates.length === 0
      ? null
      : html`<p>An approval needs <code>--override-gates REASON</code>; the reason is signed.</p>`;
  return html`${dataTable(gateTable(page))}
${failed}`;
}

function statusBox(status: PageStatus): Html {
  const { approvals } = status;
  const problems = approvals?.approved === false ? approvals.problems : [];
  return html`<div class="status">
<p><strong>${statusSentence(status)}</strong></p>
${approvals === null || approvals.signed.length === 0 ? null : dataTable(approvalTable(status))}
${problems.length === 0 ? null : html`<ul>${problems.map((problem) => html`<li>${problem}</li>`)}</ul>`}
<p class="muted">As of ${status.as_of}. This box changes over time; it is not part of what is signed.</p>
</div>`;
}

function identity(status: PageStatus): Html {
  return html`<p>The producer signed this page as part of the manifest's evidence.</p>
${rowList([
  { label: "Bundle", value: html`<code>${status.bundle_id}</code>` },
  { label: "This page (what an approver signs)", value: html`<code>${status.page_sha256}</code>` },
])}`;
}

function annex(page: ReleasePage, status: PageStatus): Html {
  return html`<section id="annex" class="annex" aria-labelledby="annex-title"><h2 id="annex-title">Annex</h2>
<h3>Every claim as it was signed</h3>
<ul>${page.claims.map(({ scope, sentence }) => html`<li><strong>${scope}</strong>: ${sentence}</li>`)}
${page.shortlist === undefined ? null : html`<li><strong>shortlists</strong>: ${page.shortlist}</li>`}</ul>
${annexTables(page, status).map((each) => dataTable(each))}
</section>
`;
}

/**
 * The release page as one self-contained HTML document (UTF-8): no script, no network requests; in print the annex
 * begins on a new page. Equal models give equal bytes. The last line contains the approval status at the time of
 * writing.
 */
export function renderReleaseHtml(page: ReleasePage, status: PageStatus): string {
  const body = html`${header(page)}<main>
${pageSection("approvals", "Who has approved, and who is missing", statusBox(status))}
${pageSection("changes", "What changes in production", changes(page))}
${pageSection("risks", "Questions before you sign", concerns(page))}
${pageSection("gates", "Gates", gates(page))}
${pageSection("identity", "What is signed", identity(status))}
${annex(page, status)}</main>`;
  const title = `Release ${page.release}: ${page.bundle_version}`;
  return `${pageDocument({ title, style: releaseStyle, body })}${statusComment(status)}\n`;
}
