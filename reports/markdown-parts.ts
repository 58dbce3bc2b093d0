import type { ChartView, ReportTable } from "./report-model.js";

/** Escapes a text so that Markdown shows it unchanged, even in a table cell; only where necessary. */
export function markdownText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*<|~]|^[#>+-]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|\](?=[([:])/g, (character) => `\\${character}`);
}

const row = (cells: readonly string[]): string => `| ${cells.map(markdownText).join(" | ")} |`;

/** A table, or one sentence if it has no rows. */
export function markdownTable({ caption, columns, rows }: ReportTable): string {
  if (rows.length === 0) return `${markdownText(caption)}: no data.`;
  const rule = columns.map((column) => (column.numeric ? "---:" : "---")).join(" | ");
  return [row(columns.map((c) => c.label)), `| ${rule} |`, ...rows.map(row)].join("\n");
}

/** A list with one item per text. */
export const markdownList = (texts: readonly string[]): string =>
  texts.map((text) => `- ${markdownText(text)}`).join("\n");

/** The title, caption and numbers of a chart. */
export function markdownView(view: Pick<ChartView<unknown>, "title" | "caption" | "table">): string {
  return [`### ${view.title}`, markdownText(view.caption), markdownTable(view.table)].join("\n\n");
}
