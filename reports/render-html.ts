import { type Html, html, trusted } from "../src/base/html.js";
import type { Fact, PageBlocks, PageLink, RateLine, ReportTable, Section, Span, Tone } from "./blocks.js";
import {
  allBlocks,
  type Badge,
  badgeOf,
  type Block,
  type Container,
  type Blocks,
  chartsOf,
  type Inline,
  isVerdict,
} from "./blocks.js";
import { explorerHtml, explorerScriptElement, explorerScriptSource } from "./explorer/explorer-html.js";
import { pageDocument } from "./page-document.js";
import { renderChart } from "./render-chart.js";

/** The SVG of each chart by its id. */
type Pictures = ReadonlyMap<string, string>;

/**
 * A page as one self-contained HTML document (UTF-8) without network requests. Charts are inline SVG, and their numbers
 * are also in tables. Only an explorer has a script, which the Content-Security-Policy allows by its digest. Equal
 * pages give equal bytes.
 */
export async function renderHtml(page: PageBlocks): Promise<string> {
  const { title, windowTitle = title, style = "", comment } = page;
  const pictures = new Map<string, string>();
  for (const { id, view, spec } of chartsOf(page)) {
    if (spec !== null) pictures.set(id, await renderChart(spec, { id: `${id}-svg`, alt: view.alt }));
  }
  const explores = allBlocks(page).some(({ kind }) => kind === "explorer");
  const body = html`${header(page)}<main>
${page.sections.map((each) => (each === null ? "" : sectionHtml(each, pictures)))}</main>
${explores ? explorerScriptElement() : null}`;
  const scriptSource = explores ? explorerScriptSource() : null;
  const document = pageDocument({ title: windowTitle, scriptSource, style, body });
  return comment === undefined ? document : `${document}${comment}\n`;
}

function header(page: PageBlocks): Html {
  const { verdict, headline = [], facts = [], warnings = [], links = [] } = page;
  return html`<header class="page">
<h1>${page.title}</h1>
<p class="muted">${page.subtitle}</p>
<div class="overall ${looks[verdict.tone].className}">
${badgeHtml(verdict)}
${headline.length === 0 ? null : factList(headline, "headline")}
<p class="sentence">${verdict.sentence}</p>
${verdict.detail === "" ? null : html`<p>${verdict.detail}</p>`}
</div>
${facts.length === 0 ? null : factList(facts, "facts")}
${warningBox(warnings)}
${page.contents === true ? contents(page) : linkBar(links)}
</header>
`;
}

function contents({ sections }: PageBlocks): Html {
  return html`<nav aria-label="Contents"><ul>${sections.map((each) =>
    each === null ? "" : html`<li><a href="#${each.id}">${each.title}</a></li>`,
  )}</ul></nav>`;
}

function linkBar(links: readonly PageLink[]): Html | null {
  if (links.length === 0) return null;
  return html`<nav aria-label="Other pages of this release"><ul>${links.map(
    ({ label, file }) => html`<li><a href="${encodeURIComponent(file)}">${label}</a></li>`,
  )}</ul></nav>`;
}

function sectionHtml({ id, title, closed, blocks }: Section, pictures: Pictures): Html {
  const body = all(blocks, pictures);
  if (!closed) return pageSection(id, title, body);
  return html`<details class="part"><summary><h2 id="${id}-title">${title}</h2></summary>
<section id="${id}" aria-labelledby="${id}-title">
${body}
</section></details>
`;
}

/** A section with a title. @param id  unique on the page, a valid HTML id */
export function pageSection(id: string, title: string, body: Html): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${body}
</section>
`;
}

/** Limitations of the numbers on a page; null if there are none. */
export function warningBox(list: readonly string[]): Html | null {
  if (list.length === 0) return null;
  return html`<aside class="warnings" aria-labelledby="warnings-title"><h2 id="warnings-title">Read before you decide</h2>
<ul>${list.map((warning) => html`<li>${warning}</li>`)}</ul></aside>`;
}

const all = (blocks: Blocks, pictures: Pictures): Html =>
  html`${blocks.map((block) => (block === null ? "" : html`${blockHtml(block, pictures)}\n`))}`;

function blockHtml(block: Block, pictures: Pictures): Html {
  if ("blocks" in block) return containerHtml(block, pictures);
  switch (block.kind) {
    case "text":
      return html`<p${classed(block.muted ? "muted" : "")}>${inline(block.text)}</p>`;
    case "legend":
      return html`<p class="muted">${block.text}</p>`;
    case "heading":
      return html`<h3>${block.text}</h3>`;
    case "list":
      return html`<ul${classed(block.look)}>${block.items.map((item) => html`<li>${inline(item)}</li>`)}</ul>`;
    case "facts":
      return factList(block.facts, block.look);
    case "rates":
      return rateList(block.rates);
    case "table":
      return tableHtml(block);
    case "chart":
      return figure(block, pictures);
    case "explorer":
      return explorerHtml(block.view);
  }
}

function containerHtml(block: Container, pictures: Pictures): Html {
  switch (block.kind) {
    case "card":
      return html`<article class="card" aria-labelledby="${block.id}"><h3 id="${block.id}">${block.title} ${badgeHtml(block.badge)}</h3>
${all(block.blocks, pictures)}</article>`;
    case "fold":
      return folded(inline(block.summary), all(block.blocks, pictures));
    case "box":
      return html`<div${classed(block.look)}>${all(block.blocks, pictures)}</div>`;
  }
}

const classed = (look: string): Html | null => (look === "" ? null : html` class="${look}"`);

const inline = (text: Inline): Html => (typeof text === "string" ? html`${text}` : html`${text.map(spanHtml)}`);

function spanHtml(part: Span): Html | string {
  if (typeof part === "string") return part;
  if ("strong" in part) return html`<strong>${part.strong}</strong>`;
  if ("code" in part) return html`<code>${part.code}</code>`;
  return "muted" in part ? html`<span class="muted">${part.muted}</span>` : badgeHtml(part.badge);
}

const looks: Readonly<Record<Tone, { readonly className: string; readonly sign: string }>> = {
  pass: { className: "pass", sign: "✓" },
  fail: { className: "fail", sign: "✗" },
  unsure: { className: "unsure", sign: "?" },
  abstain: { className: "abstain", sign: "–" },
  neutral: { className: "abstain", sign: "·" },
};

/** A word with a symbol; colour and border only repeat it. */
function badgeHtml({ word, tone }: Badge): Html {
  const { className, sign } = looks[tone];
  return html`<span class="verdict ${className}"><span aria-hidden="true">${sign} </span>${word}</span>`;
}

function folded(summary: string | Html, body: Html): Html {
  return html`<details><summary>${summary}</summary>${body}</details>`;
}

/** Facts as a description list: in a grid, or as rows with the label before the value. */
function factList(facts: readonly Fact[], look: "headline" | "facts" | "pairs" | "rows" | "question"): Html {
  const inGrid = look === "headline" || look === "facts" || look === "pairs";
  return html`<dl class="${look}">${facts.map(({ label, value }) => {
    const pair = html`<dt>${label}</dt><dd>${asCode(value)}</dd>\n`;
    return inGrid ? html`<div>${pair}</div>` : pair;
  })}</dl>`;
}

/** Measured rates as a description list of name, counts with interval, meaning and basis. */
function rateList(lines: readonly RateLine[]): Html {
  return html`<dl class="lines">${lines.map(
    (line) => html`<div>
<dt>${line.label} <span class="direction">(${line.direction})</span></dt>
<dd class="rate">${unbroken(line.text)}</dd>
<dd class="meaning">${line.meaning}</dd>
${line.basis === "" ? null : html`<dd class="basis">${line.basis}</dd>\n`}</div>`,
  )}</dl>`;
}

/** A rate that may wrap only before its interval. */
function unbroken(text: string): Html {
  const at = text.indexOf("[");
  if (at < 0) return html`<span>${text}</span>`;
  return html`<span>${text.slice(0, at - 1)}</span> <span>${text.slice(at)}</span>`;
}

const tableHtml = ({ table, folded: onDemand }: Extract<Block, { kind: "table" }>): Html =>
  onDemand ? folded(table.caption, dataTable(table)) : dataTable(table);

/** A table that scrolls within its own box on narrow pages. */
function dataTable(table: ReportTable): Html {
  if (table.rows.length === 0) return html`<p class="muted">${table.caption}: no data.</p>`;
  const kind = (index: number) => (table.columns[index]?.numeric === true ? html` class="num"` : "");
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${table.caption}"><table>
<caption>${table.caption}</caption>
<thead><tr>${table.columns.map((c, i) => html`<th scope="col"${kind(i)}>${c.label}</th>`)}</tr></thead>
<tbody>${table.rows.map(
    (row) => html`<tr>${row.map((text, i) =>
      i === 0 ? html`<th scope="row"${kind(i)}>${cell(text)}</th>` : html`<td${kind(i)}>${cell(text)}</td>`,
    )}</tr>
`,
  )}</tbody></table></div>`;
}

const cell = (text: string): string | Html => (isVerdict(text) ? badgeHtml(badgeOf(text)) : asCode(text));

const asCode = (text: string): string | Html => (/^[0-9a-f]{64}$/.test(text) ? html`<code>${text}</code>` : text);

/** A chart with its title and caption, and its numbers as a table on demand. */
function figure({ chart: { id, view }, withTable }: Extract<Block, { kind: "chart" }>, pictures: Pictures): Html {
  const svg = pictures.get(id);
  return html`<figure id="${id}"><h3>${view.title}</h3>
${svg === undefined ? html`<p>No data: there is nothing to draw.</p>` : trusted(svg)}
${svg === undefined ? null : html`<figcaption>${[view.caption, view.legend ?? ""].join(" ").trim()}</figcaption>`}
${withTable ? folded("Show as a table", dataTable(view.table)) : null}
</figure>`;
}
