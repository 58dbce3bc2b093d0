import { canonicalBytes } from "../../src/base/canonical-json.js";
import { type PageStanding, standingSentence } from "./page-standing.js";
import { renderReleaseHtml } from "./release-html.js";
import type { ReleasePage } from "./release-page.js";
import { markdownList, markdownTable, markdownText } from "../markdown-parts.js";
import { annexTables, approvalTable, changeFacts, gateTable, metricTable, questionTable } from "./page-tables.js";
import { standingComment } from "./standing-comment.js";

type Render = (page: ReleasePage, standing: PageStanding) => Buffer;

/** Release page formats by file extension. */
const forms: Readonly<Record<string, { readonly media: string; readonly render: Render }>> = {
  ".html": { media: "text/html", render: (page, standing) => Buffer.from(renderReleaseHtml(page, standing), "utf8") },
  ".md": {
    media: "text/markdown",
    render: (page, standing) => Buffer.from(renderReleaseMarkdown(page, standing), "utf8"),
  },
  ".json": { media: "application/json", render: (page, standing) => canonicalBytes({ page, standing }) },
};

export const releaseEndings: readonly string[] = Object.keys(forms);

/** The format for a file extension (with its dot, lower case); null for another extension. */
export function releaseForm(ending: string): { readonly media: string; readonly render: Render } | null {
  return Object.hasOwn(forms, ending) ? (forms[ending] ?? null) : null;
}

function standingParts(standing: PageStanding): readonly string[] {
  const { approvals } = standing;
  const problems = approvals?.approved === false ? approvals.problems : [];
  return [
    `**${markdownText(standingSentence(standing))}**`,
    ...(approvals === null || approvals.signed.length === 0 ? [] : [markdownTable(approvalTable(standing))]),
    ...(problems.length === 0 ? [] : [markdownList(problems)]),
    `As of ${standing.as_of}. This section changes over time; it is not part of what is signed.`,
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

function annexParts(page: ReleasePage, standing: PageStanding): readonly string[] {
  return [
    "### Every claim as it was signed",
    markdownList(page.claims.map(({ scope, sentence }) => `${scope}: ${sentence}`)),
    ...annexTables(page, standing).flatMap((each) => [`### ${markdownText(each.caption)}`, markdownTable(each)]),
  ];
}

/**
 * The release page as Markdown, with the content of the HTML page. Its last line contains the approval status at the
 * time of writing.
 */
export function renderReleaseMarkdown(page: ReleasePage, standing: PageStanding): string {
  const concerns = page.questions.filter(({ concern }) => concern);
  const parts = [
    `# ${markdownText(`Release ${page.release}: ${page.bundle_version}`)}`,
    markdownText(
      `Produced by ${page.producer}, with catalog ${page.catalog_version} and calibration ${page.calibration_version}.`,
    ),
    `**${page.verdict}**: ${markdownText(page.claim)} ${markdownText(page.verdict_sentence)}`,
    ...(page.shortlist === undefined ? [] : [markdownText(page.shortlist)]),
    "## Who has approved, and who is missing",
    ...standingParts(standing),
    "## What changes in production",
    ...changeParts(page),
    "## Questions before you sign",
    concerns.length === 0
      ? "No check found a problem. The annex lists all checks."
      : markdownTable(questionTable("Findings", concerns)),
    "## Gates",
    `**${page.verdict}**: ${markdownText(page.verdict_sentence)}`,
    markdownTable(gateTable(page)),
    ...(page.failed_gates.length === 0 ? [] : ["An approval needs `--override-gates REASON`; the reason is signed."]),
    "## What is signed",
    "The producer signed this page as evidence of the manifest.",
    markdownList([`Bundle: ${standing.bundle_id}`, `This page, what an approver signs: ${standing.page_sha256}`]),
    "## Annex",
    ...annexParts(page, standing),
    standingComment(standing),
  ];
  return `${parts.join("\n\n")}\n`;
}
