import { canonicalBytes } from "../../src/base/canonical-json.js";
import { type PageStatus, statusSentence } from "./page-status.js";
import { renderReleaseHtml } from "./release-html.js";
import type { ReleasePage } from "./release-page.js";
import { markdownList, markdownTable, markdownText } from "../markdown-parts.js";
import { annexTables, approvalTable, changeFacts, gateTable, metricTable, questionTable } from "./page-tables.js";
import { statusComment } from "./status-comment.js";

type Render = (page: ReleasePage, status: PageStatus) => Buffer;

/** Release page formats by file extension. */
const forms: Readonly<Record<string, { readonly media: string; readonly render: Render }>> = {
  ".html": { media: "text/html", render: (page, status) => Buffer.from(renderReleaseHtml(page, status), "utf8") },
  ".md": {
    media: "text/markdown",
    render: (page, status) => Buffer.from(renderReleaseMarkdown(page, status), "utf8"),
  },
  ".json": { media: "application/json", render: (page, status) => canonicalBytes({ page, status }) },
};

export const releaseEndings: readonly string[] = Object.keys(forms);

/** The format for a file extension (lower case, with dot); null if the extension is not supported. */
export function releaseForm(ending: string): { readonly media: string; readonly render: Render } | null {
  return Object.hasOwn(forms, ending) ? (forms[ending] ?? null) : null;
}

function statusParts(status: PageStatus): readonly string[] {
  const { approvals } = status;
  const problems = approvals?.approved === false ? approvals.problems : [];
  return [
    `**${markdownText(statusSentence(status))}**`,
    ...(approvals === null || approvals.signed.length === 0 ? [] : [markdownTable(approvalTable(status))]),
    ...(problems.length === 0 ? [] : [markdownList(problems)]),
    `As of ${status.as_of}. This section changes over time; it is not part of what is signed.`,
  ];
}

function changeParts({ changes, change_note: note }: ReleasePage): readonly string[] {
  if (changes === null) return [markdownText(note)];
  return [
    markdownText(`Compared with release ${changes.release}, ${changes.bundle_version}. ${changes.compared_on}`),
    ...(changes.metrics.length === 0 ? [] : [markdownTable(metricTable(changes))]),
    markdownList(changeFacts(changes).map(({ label, value }) => `${label}: ${value}`)),
  ];
}

function annexParts(page: ReleasePage, status: PageStatus): readonly string[] {
  return [
    "### Every claim as it was signed",
    markdownList(page.claims.map(({ scope, sentence }) => `${scope}: ${sentence}`)),
    ...annexTables(page, status).flatMap((each) => [`### ${markdownText(each.caption)}`, markdownTable(each)]),
  ];
}

/**
 * The release page as Markdown, with the content of the HTML page. Its last line contains the approval status at the
 * time of writing.
 */
export function renderReleaseMarkdown(page: ReleasePage, status: PageStatus): string {
  const concerns = page.questions.filter(({ concern }) => concern);
  const parts = [
    `# ${markdownText(`Release ${page.release}: ${page.bundle_version}`)}`,
    markdownText(
      `Produced by ${page.producer}, with catalog ${page.catalog_version} and calibration ${page.calibration_version}.`,
    ),
    `**${page.verdict}**: ${markdownText(page.claim)} ${markdownText(page.verdict_sentence)}`,
    ...(page.shortlist === undefined ? [] : [markdownText(page.shortlist)]),
    "## Who has approved, and who is missing",
    ...statusParts(status),
    "## What changes in production",
    ...changeParts(page),
    "## Questions before you sign",
    concerns.length === 0
      ? "No check found a problem. The annex lists all checks."
      : markdownTable(questionTable("Findings", concerns)),
    "## Gates",
    markdownTable(gateTable(page)),
    ...(page.failed_gates.length === 0 ? [] : ["An approval needs `--override-gates REASON`; the reason is signed."]),
    "## What is signed",
    "The producer signed this page as part of the manifest's evidence.",
    markdownList([`Bundle: ${status.bundle_id}`, `This page (what an approver signs): ${status.page_sha256}`]),
    "## Annex",
    ...annexParts(page, status),
    statusComment(status),
  ];
  return `${parts.join("\n\n")}\n`;
}
