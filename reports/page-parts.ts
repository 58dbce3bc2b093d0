import { type Html, html } from "../src/base/html.js";
import type { Fact, RateLine, ReportTable, Verdict } from "./report-model.js";

const verdictClass: Readonly<Record<Verdict, string>> = {
  pass: "pass",
  fail: "fail",
  "NOT SHOWN": "unsure",
  abstains: "abstain",
  "no claim": "abstain",
};
const verdictSign: Readonly<Record<Verdict, string>> = {
  pass: "✓",
  fail: "✗",
  "NOT SHOWN": "?",
  abstains: "–",
  "no claim": "·",
};

/** CSS class with the colour and border of a verdict. */
export function classOf(verdict: Verdict): string {
  return verdictClass[verdict];
}

/** The verdict as a word with a symbol; colour and border only repeat it. */
export function verdictBadge(verdict: Verdict): Html {
  return html`<span class="verdict ${verdictClass[verdict]}"><span aria-hidden="true">${verdictSign[verdict]} </span>${verdict}</span>`;
}

/** Facts as a description list of the given class. */
export function factList(facts: readonly Fact[], className: "facts" | "pairs"): Html {
  return html`<dl class="${className}">${facts.map((f) => html`<div><dt>${f.label}</dt><dd>${f.value}</dd></div>`)}</dl>`;
}

/** Measured rates as a description list of name, counts with interval, meaning and basis. */
export function rateList(lines: readonly RateLine[]): Html {
  return html`<dl class="lines">${lines.map(
    (line) => html`<div>
<dt>${line.label} <span class="direction">(${line.direction})</span></dt>
<dd class="rate">${unbroken(line.text)}</dd>
<dd class="meaning">${line.meaning}</dd>
${
  line.basis === ""
    ? null
    : html`<dd class="basis">${line.basis}</dd>
`
}</div>`,
  )}</dl>`;
}

/** A rate that may wrap only before its interval. */
function unbroken(text: string): Html {
  const at = text.indexOf("[");
  if (at < 0) return html`<span>${text}</span>`;
  return html`<span>${text.slice(0, at - 1)}</span> <span>${text.slice(at)}</span>`;
}

/** A table that scrolls within its own box on narrow pages. Long hexadecimal cells are formatted as code. */
export function dataTable(table: ReportTable): Html {
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

/** Formats digests as code and verdicts as badges. */
function cell(text: string): string | Html {
  if (/^[0-9a-f]{64}$/.test(text)) return html`<code>${text}</code>`;
  return isVerdict(text) ? verdictBadge(text) : text;
}

const isVerdict = (text: string): text is Verdict => Object.hasOwn(verdictClass, text);

/** A collapsed part of a page. */
export function folded(summary: string, body: Html): Html {
  return html`<details><summary>${summary}</summary>${body}</details>`;
}

/** Tone of a badge, which sets its colour, border and symbol. */
export type Tone = "pass" | "fail" | "unsure" | "abstain";

const toneSign: Readonly<Record<Tone, string>> = { pass: "✓", fail: "✗", unsure: "?", abstain: "–" };

/** A word with a symbol, in the colour and border of its tone. */
export function toneBadge(word: string, tone: Tone): Html {
  return html`<span class="verdict ${tone}"><span aria-hidden="true">${toneSign[tone]} </span>${word}</span>`;
}

/** Limitations of the numbers on a page; null if there are none. */
export function warningBox(list: readonly string[]): Html | null {
  if (list.length === 0) return null;
  return html`<aside class="warnings" aria-labelledby="warnings-title"><h2 id="warnings-title">Read before you decide</h2>
<ul>${list.map((warning) => html`<li>${warning}</li>`)}</ul></aside>`;
}

/** A section with a title. @param id  unique on the page, a valid HTML id */
export function pageSection(id: string, title: string, body: Html): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${body}
</section>
`;
}
