import type { TopLevelSpec } from "vega-lite";
import { reliabilitySpec } from "./charts/reliability.js";
import { riskCoverageSpec } from "./charts/risk-coverage.js";
import { tierBarsSpec } from "./charts/tier-bars.js";
import { type Html, html, trusted } from "./html.js";
import { classOf, dataTable, factList, folded, rateList, verdictBadge } from "./page-parts.js";
import { pageStyle } from "./page-style.js";
import { renderChart } from "./render-chart.js";
import type { ChartView, ClaimView, ReportModel, TierView } from "./report-model.js";

const sections = [
  ["summary", "Summary"],
  ["tiers", "Tiers"],
  ["charts", "Charts"],
  ["retrieval", "Retrieval"],
  ["baselines", "Beside the baselines"],
  ["decisions", "Decisions and reasons"],
  ["losses", "Where requests are lost"],
  ["scope", "Out of scope"],
  ["calibration", "Calibration quality"],
  ["evidence", "Evidence"],
  ["reading", "How to read this page"],
] as const;
type SectionId = (typeof sections)[number][0];

function section(id: SectionId, body: Html): Html {
  const title = sections.find(([key]) => key === id)?.[1] ?? id;
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${body}
</section>
`;
}

function header(model: ReportModel): Html {
  const { verdict, sentence, detail } = model.overall;
  return html`<header class="page">
<h1>${model.title}</h1>
<p class="muted">${model.generatedFor}</p>
<div class="overall ${classOf(verdict)}">
${verdictBadge(verdict)}
<p class="sentence">${sentence}</p>
<p>${detail}</p>
</div>
${factList(model.facts, "facts")}
${warnings(model.warnings)}
<nav aria-label="Contents"><ul>${sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
</header>
`;
}

function warnings(list: readonly string[]): Html {
  if (list.length === 0) return html``;
  return html`<aside class="warnings" aria-labelledby="warnings-title"><h2 id="warnings-title">Know before you decide</h2>
<ul>${list.map((warning) => html`<li>${warning}</li>`)}</ul></aside>`;
}

function claimCard(claim: ClaimView): Html {
  const conditions = claim.conditions === null ? null : dataTable(claim.conditions);
  return html`<article class="claim">
<h4>${claim.title} ${verdictBadge(claim.verdict)}</h4>
<p class="sentence">${claim.sentence}</p>
<p>${claim.reason}</p>
${rateList(claim.rates)}
${conditions}
${folded("Steps of the certification test", dataTable(claim.certification))}
</article>
`;
}

function summary(model: ReportModel): Html {
  const claims = model.claims.length === 0 ? html`<p>Nothing is promised.</p>` : model.claims.map(claimCard);
  return html`<h3>What is promised</h3>
${claims}
<h3>What was measured</h3>
${rateList(model.measured)}`;
}

function tierCard(tier: TierView): Html {
  const workflows =
    tier.workflows === null
      ? null
      : folded(
          `Active workflows of tier ${tier.tier}: ${tier.workflows.length}`,
          html`<ul>${tier.workflows.map((name) => html`<li>${name}</li>`)}</ul>`,
        );
  return html`<article class="tier" aria-labelledby="tier-${tier.tier}">
<h3 id="tier-${tier.tier}">Tier ${tier.tier} ${verdictBadge(tier.verdict)}</h3>
<p>${tier.reason}</p>
${rateList(tier.rates)}
${factList(tier.facts, "pairs")}
${workflows}
</article>
`;
}

async function figure<Data>(id: string, view: ChartView<Data>, toSpec: (data: Data) => TopLevelSpec): Promise<Html> {
  const svg = view.data === null ? null : await renderChart(toSpec(view.data), { id: `${id}-svg`, alt: view.alt });
  const picture = svg === null ? html`<p>No data: there is nothing to draw.</p>` : trusted(svg);
  const note = svg === null ? null : html`<figcaption>${view.caption}</figcaption>`;
  return html`<figure id="${id}"><h3>${view.title}</h3>
${picture}
${note}
${folded("The same as a table", dataTable(view.table))}
</figure>
`;
}

async function charts({ riskCoverage, tierBars }: ReportModel): Promise<Html> {
  return html`<div class="charts">
${await figure("risk-coverage", riskCoverage, riskCoverageSpec)}
${await figure("tier-bars", tierBars, tierBarsSpec)}
</div>`;
}

function baselines({ baselines: { sentences, tables } }: ReportModel): Html {
  if (tables.length === 0) return html`<p>No data: no baseline was ranked.</p>`;
  return html`<ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>
<p class="muted">Both sides answer the same requests. Bands and p resample whole workflows and groups. A coverage is the
largest that some threshold reaches on these very requests, so it is an upper bound for both sides.</p>
${tables.map((each) => dataTable(each))}`;
}

function losses({ losses: tables, confusions, slices }: ReportModel): Html {
  const more = [confusions, slices].filter(({ rows }) => rows.length > 0).map((each) => dataTable(each));
  if (tables.length === 0) return html`<p>No data: without thresholds no request is decided.</p>\n${more}`;
  return html`<p>Every request is counted once, at the first stage that failed or where it ended well.</p>
${tables.map((each) => dataTable(each))}
${more}`;
}

async function calibrationQuality(model: ReportModel): Promise<Html> {
  const calibration =
    model.calibration.length === 0 ? html`<p>No calibration was given.</p>` : factList(model.calibration, "pairs");
  return html`<div class="charts">
${await figure("reliability", model.reliability, reliabilitySpec)}
<div><h3>Scores</h3>
${dataTable(model.quality)}
<h3>Calibration</h3>
${calibration}</div>
</div>`;
}

const reading = html`<p><strong>16/2,617 = 0.0061 [0.0034, 0.0100]</strong> means: 16 of 2,617 requests, a share of 0.0061;
the interval in brackets is where the true share plausibly lies. Upper limits are rounded up and lower limits down, so a
printed limit never claims more than the evidence.</p>
<p><strong>pass</strong>: the whole interval is at or below the target. <strong>fail</strong>: the whole interval is above
it. <strong>NOT SHOWN</strong>: the interval reaches to both sides; this is not a pass. <strong>abstains</strong>: the tier
has no threshold and routes nothing, which is safe and answers nobody. <strong>no claim</strong>: the overall claim covers
the tier together with others, and says nothing about it alone.</p>
<p>Requests of one workflow, or of one group of out-of-scope requests, resemble each other. Where that matters they are
counted as fewer independent requests (“clustered”), and the number of workflows and groups stands beside the rate. All
intervals assume that future workflows and requests are like these.</p>`;

/**
 * The report as one self-contained HTML document (UTF-8): no script, no request to anywhere, charts as inline SVG, every
 * chart's numbers as a table beside it. The same model gives the same bytes.
 */
export async function renderEvaluationReport(model: ReportModel): Promise<string> {
  const tiers =
    model.tiers.length === 0
      ? html`<p>No data: no calibration was used, so no tier has a threshold.</p>`
      : html`<div class="tiers">${model.tiers.map(tierCard)}</div>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>${model.title}: ${model.generatedFor}</title>
<style>${trusted(pageStyle)}</style>
</head>
<body>
${header(model)}<main>
${section("summary", summary(model))}
${section("tiers", tiers)}
${section("charts", await charts(model))}
${section("retrieval", rateList(model.retrieval))}
${section("baselines", baselines(model))}
${section("decisions", html`${dataTable(model.decisions)}\n${dataTable(model.reasons)}`)}
${section("losses", losses(model))}
${section("scope", html`${dataTable(model.outOfScope)}\n${dataTable(model.populations)}\n${dataTable(model.guards)}`)}
${section("calibration", await calibrationQuality(model))}
${section("evidence", dataTable(model.lineage))}
${section("reading", reading)}
</main>
</body>
</html>
`.markup;
}
