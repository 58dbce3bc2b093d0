import { markdownList, markdownTable, markdownText as plain, markdownView } from "../markdown-parts.js";
import { flipTable } from "./comparison-html.js";
import type { ComparisonPage } from "./comparison-page.js";

/** The page as Markdown, with the charts as tables. Ends with a line break. */
export function renderComparisonMarkdown(page: ComparisonPage): string {
  const { word, sentence, detail } = page.verdict;
  const parts = [
    `# ${plain(page.title)}`,
    plain(page.subtitle),
    `**${word}**: ${plain(`${sentence} ${detail}`)}`,
    page.facts.map(({ label, value }) => `- ${plain(label)}: ${plain(value)}`).join("\n"),
    ...(page.warnings.length === 0 ? [] : ["## Read before you decide", markdownList(page.warnings)]),
    "## Differences",
    markdownView(page.differences),
    markdownTable(page.promises),
    markdownTable(page.thresholds),
    "## Decisions that flip",
    ...(page.buckets.length === 0 ? ["No request is decided differently."] : []),
    ...page.buckets.flatMap((bucket) => {
      const table = flipTable(bucket);
      return [`### ${plain(table.caption)}, ${bucket.effect}`, markdownTable(table)];
    }),
    "## Where decisions change",
    markdownView(page.workflows),
    markdownView(page.slices),
    "## Evidence",
    markdownTable(page.digests),
  ];
  return `${parts.join("\n\n")}\n`;
}
