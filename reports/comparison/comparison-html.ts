import { counted, formatCount } from "../../src/documents/number-text.js";
import { leverageSpec } from "../charts/leverage.js";
import { pairedDifferencesSpec } from "../charts/paired-differences.js";
import { sliceHeatMapSpec } from "../charts/slice-heat-map.js";
import { type Html, html } from "../../src/base/html.js";
import { pageDocument, linkBar } from "../page-document.js";
import { figures, type PageChart, pageChart } from "../page-figure.js";
import { dataTable, factList, pageSection, toneBadge, type Tone, warningBox } from "../page-parts.js";
import type { ReportTable } from "../report-model.js";
import type { ComparisonPage, FlipBucket } from "./comparison-page.js";

/** Maximum number of flips per bucket that the page lists; the JSON output has all. */
const listedFlips = 100;

const tones: Readonly<Record<FlipBucket["effect"], Tone>> = { better: "pass", worse: "fail", neutral: "abstain" };
const effectWords: Readonly<Record<FlipBucket["effect"], string>> = {
  better: "better",
  worse: "worse",
  neutral: "neutral",
};

/** Every chart of the page, in page order. */
export function comparisonCharts({ differences, workflows, slices }: ComparisonPage): readonly PageChart[] {
  return [
    pageChart("paired-differences", differences, pairedDifferencesSpec),
    pageChart("workflows-by-change", workflows, leverageSpec),
    pageChart("slice-heat-map", slices, sliceHeatMapSpec),
  ];
}

function header(page: ComparisonPage): Html {
  const { word, tone, sentence, detail } = page.verdict;
  return html`<header class="page">
<h1>${page.title}</h1>
<p class="muted">${page.subtitle}</p>
<div class="overall ${tone}">
${toneBadge(word, tone)}
<p class="sentence">${sentence}</p>
<p>${detail}</p>
</div>
${factList(page.facts, "facts")}
${warningBox(page.warnings)}
${linkBar(page.links)}
</header>
`;
}

export function flipTable({ title, flips }: FlipBucket, most = flips.length): ReportTable {
  const more = flips.length > most ? `; the first ${formatCount(most)} are listed, and the JSON form has all` : "";
  return {
    caption: `${title}: ${counted(flips.length, "request")}${more}`,
    columns: ["Request", "Right workflow", "A", "B"].map((label) => ({ label, numeric: false })),
    rows: flips.slice(0, most).map(({ id, right, a, b }) => [id, right, a, b]),
  };
}

function bucket(found: FlipBucket): Html {
  const { title, effect, flips } = found;
  return html`<details class="bucket"><summary>${toneBadge(effectWords[effect], tones[effect])} <strong>${formatCount(flips.length)}</strong> ${title}</summary>
${dataTable(flipTable(found, listedFlips))}</details>
`;
}

const style = `
.bucket { border-top: 1px solid var(--line); margin: 0; padding: 4px 0; }
.bucket > summary { color: var(--ink); font-size: 1rem; }
.bucket td, .bucket th { overflow-wrap: anywhere; }
@media screen and (max-width: 640px) { .bucket table, #measures > .scroll table { min-width: 620px; } }
`;

/** The page of one comparison as one HTML document without a script. Equal models give equal bytes. */
export async function renderComparisonHtml(page: ComparisonPage): Promise<string> {
  const [differences, ...changes] = comparisonCharts(page);
  const flips =
    page.buckets.length === 0
      ? html`<p>No request is decided differently.</p>`
      : html`<p class="muted">Each line is one kind of change from A to B, worse ones first. Open a line to see its requests.</p>
${page.buckets.map(bucket)}`;
  const body = html`${header(page)}<main>
${pageSection(
  "measures",
  "Differences",
  html`<div class="side-by-side">${await figures(differences === undefined ? [] : [differences])}
<div>${dataTable(page.thresholds)}
${dataTable(page.promises)}</div></div>
${dataTable(page.differences.table)}
<p class="muted">Both sides answered the same requests. A side is better only where the band excludes 0, there are at least 6
workflows and groups, and the paired test agrees (p at most 0.05). Measures with different denominators on the two sides are not tested.</p>`,
)}
${pageSection("flips", "Decisions that flip", flips)}
${pageSection("changes", "Where decisions change", html`<div class="charts">${await figures(changes)}</div>`)}
${pageSection("evidence", "Evidence", dataTable(page.digests))}
</main>`;
  return pageDocument({ title: page.title, style, body });
}
