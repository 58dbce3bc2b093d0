import { countBarsSpec } from "./charts/count-bars.js";
import { driftSpec } from "./charts/drift.js";
import { funnelSpec } from "./charts/funnel.js";
import { reliabilitySpec } from "./charts/reliability.js";
import { riskCoverageSpec } from "./charts/risk-coverage.js";
import { scoresSpec } from "./charts/scores.js";
import { tierBarsSpec } from "./charts/tier-bars.js";
import { tierCurveSpec } from "./charts/tier-curve.js";
import { type Html, html, trusted } from "../src/base/html.js";
import { classOf, dataTable, factList, folded, pageSection, rateList, verdictBadge, warningBox } from "./page-parts.js";
import { pageDocument } from "./page-document.js";
import { figures, type PageChart, pageChart } from "./page-figure.js";
import type { ClaimView, ReportModel, ReportTable, TierView, ExplorerView } from "./report-model.js";
import { sha256Hex } from "../src/base/sha256.js";
import { explorerScript } from "./explorer/explorer-script.js";

/** The Content-Security-Policy source that allows only the explorer's script. */
function explorerScriptSource(): string {
  return `'sha256-${Buffer.from(sha256Hex(explorerScript), "hex").toString("base64")}'`;
}

const select = (id: string, label: string): Html =>
  html`<label>${label} <select id="${id}"><option value="">any</option></select></label>`;

function controls({ texts }: ExplorerView): Html {
  const warning =
    texts === null
      ? null
      : html`<p class="unsure"><strong>This page contains request texts. Share it only with people who may read them.</strong></p>`;
  return html`${warning}
<p class="muted">A threshold chosen here is not certified, because it was chosen with these requests in view. The page shows how a change would affect them.</p>
<div class="knobs">
<label>Applies to <select id="x-scope"><option value="">every tier</option></select></label>
<label>Confidence at least <output id="x-threshold-text"></output>
<input type="range" id="x-threshold" min="0" max="1" step="0.001"></label>
<label>Out-of-scope share <output id="x-share-text"></output>
<input type="range" id="x-share" min="0" max="0.95" step="0.01"></label>
<button type="button" id="x-reset">As calibrated</button>
</div>
<dl class="pairs">
<div><dt>Coverage</dt><dd id="x-coverage"></dd></div>
<div><dt>Selective risk, 95 % interval</dt><dd id="x-risk"></dd></div>
<div><dt>Certified</dt><dd id="x-certified"></dd></div>
<div><dt>Requests decided differently</dt><dd id="x-changed"></dd></div>
</dl>
<p>To certify: <code id="x-command"></code></p>
<details><summary>Requests decided differently</summary><div class="knobs">${select("x-flip", "Change")}</div><ul id="x-changes" class="ids"></ul><button type="button" id="x-more-changes" hidden></button></details>
<h3>Errors</h3>
<div class="knobs">${select("x-bucket", "Outcome")} ${select("x-tier", "Tier")} ${select("x-workflow", "Workflow")} ${select("x-pair", "Pair")}</div>
<p id="x-found" class="muted"></p>
<article id="x-story" tabindex="-1" hidden><h3>One request</h3><dl class="pairs" id="x-story-lines"></dl></article>
<details><summary>The requests</summary><ul id="x-errors" class="ids"></ul><button type="button" id="x-more-errors" hidden></button></details>`;
}

/** The explorer, the only part of the page that needs a script. */
function explorerSection(view: ExplorerView, lengths: ReportTable | null): Html {
  const data = JSON.stringify(view).replaceAll("<", "\\u003c");
  return html`<noscript><p>The explorer needs JavaScript. The rest of this page works without it.</p></noscript>
<div id="explorer-controls" hidden>
${controls(view)}
</div>
${lengths === null ? null : dataTable(lengths)}
<script type="application/json" id="explorer-data">${trusted(data)}</script>`;
}

/** The script element. It must be last on the page, after the data that it reads. */
const explorerScriptElement = (): Html => html`<script>${trusted(explorerScript)}</script>`;

/** Sections of the page in reading order: first the visible ones, then those that open on demand. */
const sections = [
  ["promise", "What is promised"],
  ["charts", "Thresholds, risk and coverage"],
  ["requests", "Where requests end"],
  ["explorer", "Explore thresholds and errors"],
  ["tiers", "Each tier"],
  ["measured", "All rates"],
  ["baselines", "Compared with baselines"],
  ["decisions", "Decisions and reasons"],
  ["scope", "Out of scope"],
  ["calibration", "Calibration quality"],
  ["evidence", "Evidence"],
  ["reading", "How to read this page"],
] as const;
type SectionId = (typeof sections)[number][0];

const titleOf = (id: SectionId): string => sections.find(([key]) => key === id)?.[1] ?? id;

const section = (id: SectionId, body: Html): Html => pageSection(id, titleOf(id), body);

/** A collapsed section, which a link to it opens. */
function closedSection(id: SectionId, body: Html): Html {
  return html`<details class="part"><summary><h2 id="${id}-title">${titleOf(id)}</h2></summary>
<section id="${id}" aria-labelledby="${id}-title">
${body}
</section></details>
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
${warningBox(model.warnings)}
<nav aria-label="Contents"><ul>${sections
    .filter(([id]) => id !== "explorer" || model.explorer !== null)
    .map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
</header>
`;
}

function claimLine(claim: ClaimView): Html {
  return html`<li><p><strong>${claim.promise}</strong> ${verdictBadge(claim.verdict)}</p><p class="muted">${claim.reason}</p></li>`;
}

function claimDetails(claim: ClaimView): Html {
  const conditions = claim.conditions === null ? null : dataTable(claim.conditions);
  return html`<article class="claim"><h3>${claim.title} ${verdictBadge(claim.verdict)}</h3>
${claim.sentence === claim.promise ? null : html`<p>${claim.sentence}</p>`}
${conditions}
${dataTable(claim.certification)}
</article>
`;
}

function promise({ claims, shortlist, numbers }: ReportModel): Html {
  const promised =
    claims.length === 0
      ? html`<p>Nothing is promised.</p>`
      : html`<ul class="promises">${claims.map(claimLine)}</ul>
${folded("As signed: full sentences, conditions and test steps", html`${claims.map(claimDetails)}`)}`;
  return html`${promised}
${shortlist === null ? null : html`<p>${shortlist}</p>`}
${dataTable(numbers)}`;
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

/** Every chart of the page, in page order. */
export function evaluationCharts(model: ReportModel): readonly PageChart[] {
  return [
    ...model.tierCurves.map((view, index) => pageChart(`tier-curve-${index + 1}`, view, tierCurveSpec)),
    pageChart("tier-bars", model.tierBars, tierBarsSpec),
    pageChart("reliability", model.reliability, reliabilitySpec),
    pageChart("scores", model.scores, scoresSpec),
    pageChart("funnel", model.funnel, funnelSpec),
    pageChart("drift", model.drift, driftSpec),
    pageChart("endings", model.endings, countBarsSpec),
    pageChart("confused-pairs", model.confusedPairs, countBarsSpec),
    pageChart("risk-coverage", model.riskCoverage, riskCoverageSpec),
  ];
}

async function charts(model: ReportModel): Promise<Html> {
  const all = evaluationCharts(model);
  const curves = await figures(all.filter(({ id }) => id.startsWith("tier-curve-")));
  const reading = html`<p class="muted">Thresholds are stricter to the left. The shaded band is the 95 % interval of each point by
itself, the dashed line is the target, and the thick line is the certified part. The circle marks the threshold in force, and the
cross marks the first threshold that failed certification; both are placed at their results on this fold.</p>`;
  return html`${curves.length === 0 ? null : reading}
<div class="charts">
${curves}
${await figures(all.filter(({ id, spec }) => ["tier-bars", "reliability"].includes(id) || (id === "scores" && spec !== null)))}
</div>`;
}

function baselines({ baselines: { sentences, tables } }: ReportModel): Html {
  if (tables.length === 0) return html`<p>No data: no baseline was run.</p>`;
  return html`<ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>
<p class="muted">Both systems answered the same requests. Bands and p-values come from resampling whole workflows and groups. Each coverage is
the largest that any threshold reaches on these requests, so it is an upper bound for both.</p>
${tables.map((each) => folded(each.caption, dataTable(each)))}`;
}

async function requests(model: ReportModel): Promise<Html> {
  const { losses, confusions, slices } = model;
  const more = [confusions, slices]
    .filter(({ rows }) => rows.length > 0)
    .map((each) => folded(each.caption, dataTable(each)));
  const drawn = html`<div class="charts">
${await figures(
  evaluationCharts(model).filter(
    ({ id, spec }) => ["funnel", "endings", "confused-pairs"].includes(id) && spec !== null,
  ),
)}
</div>`;
  if (losses.length === 0) return html`<p>No data: without thresholds no request is decided.</p>\n${drawn}${more}`;
  return html`${drawn}
${losses.map((each) => folded(each.caption, dataTable(each)))}
${more}`;
}

async function calibrationQuality(model: ReportModel): Promise<Html> {
  const calibration =
    model.calibration.length === 0 ? html`<p>No calibration was given.</p>` : factList(model.calibration, "pairs");
  return html`<div class="charts">
${await figures(evaluationCharts(model).filter(({ id, spec }) => id === "risk-coverage" || (id === "drift" && spec !== null)))}
<div><h3>Scores</h3>
${dataTable(model.quality)}
<h3>Calibration</h3>
${calibration}</div>
</div>`;
}

const reading = html`<p><strong>16/2,617 = 0.61 % [0.34 %, 1.00 %]</strong> means 16 of 2,617 requests, which is 0.61 %,
with its 95 % interval in brackets. Upper limits are rounded up and lower limits down, so a printed limit never claims
more than the evidence supports.</p>
<p><strong>pass</strong>: a claim is certified, and held-out requests do not contradict it; for a tier with a target, the
whole interval is at or below the target. <strong>fail</strong>: held-out requests contradict a claim, or the whole
interval of a tier is above its target. <strong>NOT SHOWN</strong>: neither of the two; this is not a pass.
<strong>abstains</strong>: nothing is certified, so nothing is routed, which is safe but useless. <strong>no claim</strong>:
the overall claim covers the tier together with others, but not by itself.</p>
<p>Requests to one workflow, or in one out-of-scope group, resemble each other. Where that matters, they are counted as
fewer independent requests (“clustered”), and the number of workflows and groups is printed after the rate. All intervals assume
that future workflows and requests are like these.</p>`;

/**
 * The report as one self-contained HTML document (UTF-8) without network requests. Charts are inline SVG, and their
 * numbers are also in tables. Only the explorer has a script, which the Content-Security-Policy allows by its digest.
 * Equal models give equal bytes.
 */
export async function renderEvaluationReport(model: ReportModel): Promise<string> {
  const tiers =
    model.tiers.length === 0
      ? html`<p>No data: no calibration was used, so no tier has a threshold.</p>`
      : html`<div class="tiers">${model.tiers.map(tierCard)}</div>`;
  const script = model.explorer === null ? null : explorerScriptSource();
  return pageDocument({
    title: `${model.title}: ${model.generatedFor}`,
    scriptSource: script,
    body: html`${header(model)}<main>
${section("promise", promise(model))}
${section("charts", await charts(model))}
${section("requests", await requests(model))}
${model.explorer === null ? null : section("explorer", explorerSection(model.explorer, model.shortlistLengths))}
${closedSection("tiers", tiers)}
${closedSection("measured", html`${rateList(model.measured)}\n<h3>Retrieval</h3>\n${rateList(model.retrieval)}`)}
${closedSection("baselines", baselines(model))}
${closedSection("decisions", html`${dataTable(model.decisions)}\n${dataTable(model.reasons)}`)}
${closedSection("scope", html`${dataTable(model.outOfScope)}\n${dataTable(model.populations)}\n${dataTable(model.guards)}`)}
${closedSection("calibration", await calibrationQuality(model))}
${closedSection("evidence", dataTable(model.lineage))}
${closedSection("reading", reading)}
</main>
${model.explorer === null ? null : explorerScriptElement()}`,
  });
}
