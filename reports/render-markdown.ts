import type { Block, Blocks, Container, Inline, PageBlocks, Span } from "./blocks.js";
import { type RateLine, reportTable, type ReportTable } from "./blocks.js";

/** Escapes a text so that Markdown shows it unchanged, even in a table cell; only where necessary. */
export function markdownText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*<|~]|^[#>+-]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|\](?=[([:])/g, (character) => `\\${character}`);
}

function span(part: Span): string {
  if (typeof part === "string") return markdownText(part);
  if ("strong" in part) return `**${markdownText(part.strong)}**`;
  if ("code" in part) return `\`${part.code}\``;
  return "muted" in part ? markdownText(part.muted) : `(${part.badge.word})`;
}

const inline = (text: Inline): string => (typeof text === "string" ? markdownText(text) : text.map(span).join(""));

const row = (cells: readonly string[]): string => `| ${cells.map(markdownText).join(" | ")} |`;

function rowsOf({ columns, rows }: ReportTable): string {
  const rule = columns.map((column) => (column.numeric ? "---:" : "---")).join(" | ");
  return [row(columns.map((c) => c.label)), `| ${rule} |`, ...rows.map(row)].join("\n");
}

const captioned = (table: ReportTable): readonly string[] =>
  table.rows.length === 0 ? [`${markdownText(table.caption)}: no data.`] : [markdownText(table.caption), rowsOf(table)];

const listOf = (items: readonly Inline[]): string => items.map((item) => `- ${inline(item)}`).join("\n");

const ratesTable = (rates: readonly RateLine[]): ReportTable =>
  reportTable(
    "Rates",
    ["Rate", "k/n = value [interval]", "Better", "Meaning", "Evidence"],
    rates.map((l) => [l.label, l.text, l.direction.replace(" is better", ""), l.meaning, l.basis]),
  );

const title = (text: string, depth: number): string => `${"#".repeat(depth)} ${text}`;

/** The paragraphs of a block. @param depth  level of its headings */
function paragraphs(block: Block, depth: number): readonly string[] {
  if ("blocks" in block) return contained(block, depth);
  switch (block.kind) {
    case "text":
      return [inline(block.text)];
    case "legend":
      return [];
    case "heading":
      return [title(markdownText(block.text), depth)];
    case "list":
      return block.items.length === 0 ? [] : [listOf(block.items)];
    case "facts":
      return [listOf(block.facts.map(({ label, value }) => `${label}${label.endsWith("?") ? "" : ":"} ${value}`))];
    case "rates":
      return [rowsOf(ratesTable(block.rates))];
    case "table":
      return captioned(block.table);
    case "chart":
      return chartParagraphs(block, depth);
    case "explorer":
      return ["The explorer is in the HTML form of this report."];
  }
}

function chartParagraphs({ chart, withTable }: Extract<Block, { kind: "chart" }>, depth: number): readonly string[] {
  const { title: name, caption, table } = chart.view;
  const numbers = table.rows.length === 0 ? captioned(table) : [rowsOf(table)];
  return [title(markdownText(name), depth), markdownText(caption), ...(withTable ? numbers : [])];
}

function contained(block: Container, depth: number): readonly string[] {
  switch (block.kind) {
    case "card":
      return [title(`${markdownText(block.title)}: ${block.badge.word}`, depth), ...all(block.blocks, depth + 1)];
    case "fold":
      return [title(inline(block.summary), depth), ...all(block.blocks, depth + 1)];
    case "box":
      return all(block.blocks, depth);
  }
}

const all = (blocks: Blocks, depth: number): readonly string[] =>
  blocks.flatMap((block) => (block === null ? [] : paragraphs(block, depth)));

/** A page as Markdown, with the charts as tables. Equal pages give equal texts. Ends with a line break. */
export function renderMarkdown({
  title: name,
  subtitle,
  verdict,
  headline = [],
  facts = [],
  warnings = [],
  ...page
}: PageBlocks): string {
  const parts = [
    title(markdownText(name), 1),
    markdownText(subtitle),
    `**${verdict.word}**: ${markdownText(`${verdict.sentence} ${verdict.detail}`.trimEnd())}`,
    ...(headline.length === 0 ? [] : paragraphs({ kind: "facts", facts: headline, look: "headline" }, 2)),
    ...(facts.length === 0 ? [] : paragraphs({ kind: "facts", facts, look: "facts" }, 2)),
    ...(warnings.length === 0 ? [] : ["## Read before you decide", listOf(warnings)]),
    ...page.sections.flatMap((each) =>
      each === null ? [] : [`## ${markdownText(each.title)}`, ...all(each.blocks, 3)],
    ),
    ...(page.comment === undefined ? [] : [page.comment]),
  ];
  return `${parts.join("\n\n")}\n`;
}
