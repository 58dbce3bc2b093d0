import type { ChartView, ReportTable } from "./report-model.js";

/** Text that Markdown shows unchanged, even inside a table cell; escapes only where needed. */
export function markdownText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*<|~]|^[#>+-]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|\](?=[([:])/g, (character) => `\\${character}`);
}

const row = (cells: readonly string[]): string => `| ${cells.map(markdownText).join(" | ")} |`;

/** A table, or one sentence where it has no rows. */
export function markdownTable({ caption, columns, rows }: ReportTable): string {
  if (rows.length === 0) return `${markdownText(caption)}: no data.`;
  const rule = columns.map((column) => (column.numeric ? "---:" : "---")).join(" | ");
  return [row(columns.map((c) => c.label)), `| ${rule} |`, ...rows.map(row)].join("\n");
}

/** A list, one item for each text. */
export const markdownList = (texts: readonly string[]): string =>
  texts.map((text) => `- ${markdownText(text)}`).join("\n");

/** A chart as its title, its caption and its numbers. */
export function markdownView(view: Pick<ChartView<unknown>, "title" | "caption" | "table">): string {
  return [`### ${view.title}`, markdownText(view.caption), markdownTable(view.table)].join("\n\n");
}
