import { planTargetsSpec } from "../charts/plan-targets.js";
import { reliabilitySpec } from "../charts/reliability.js";
import { thresholdSweepSpec } from "../charts/threshold-sweep.js";
import { type Html, html } from "../../src/base/html.js";
import { pageDocument, linkBar } from "../page-document.js";
import { figures, type PageChart, pageChart } from "../page-figure.js";
import { dataTable, factList, folded, pageSection, toneBadge, warningBox } from "../page-parts.js";
import type { CalibrationPage } from "./calibration-page.js";

/** Every chart of the page, in page order. */
export function calibrationCharts({ sweeps, reliability, plan }: CalibrationPage): readonly PageChart[] {
  return [
    ...sweeps.map((view, index) => pageChart(`threshold-sweep-${index + 1}`, view, thresholdSweepSpec)),
    ...(reliability === null
      ? []
      : [
          pageChart("reliability-before", reliability.before, reliabilitySpec),
          pageChart("reliability-after", reliability.after, reliabilitySpec),
        ]),
    ...(plan === null ? [] : [pageChart("plan-targets", plan, planTargetsSpec)]),
  ];
}

function header(page: CalibrationPage): Html {
  const tone = page.certified ? "pass" : "abstain";
  return html`<header class="page">
<h1>${page.title}</h1>
<p class="muted">${page.calibrator}</p>
<div class="overall ${tone}">
${toneBadge(page.certified ? "certified" : "not certified", tone)}
<p class="sentence">${page.promise}</p>
${page.basis === "" ? null : html`<p>${page.basis}</p>`}
</div>
${factList(page.facts, "facts")}
${warningBox(page.warnings)}
${linkBar(page.links)}
</header>
`;
}

const sweepReading = html`<p class="muted">Thresholds are tested from strict to loose, and the first failed test ends the
sequence. The solid line is the share of wrong routes, the dotted line its upper limit, and the dashed line the target. The
shaded part passed. The circle marks the signed threshold, the cross the first one that failed.</p>`;

function firstConditions({ conditions: [first = null] }: CalibrationPage): Html {
  return first === null ? html`<p>Nothing is certified, so there are no conditions.</p>` : dataTable(first);
}

async function furtherClaims(
  { conditions, otherClaims }: CalibrationPage,
  charts: readonly PageChart[],
): Promise<Html> {
  const sweeps = charts.filter(({ id }) => id.startsWith("threshold-sweep-") && id !== "threshold-sweep-1");
  return html`<ul>${otherClaims.map(({ scope, sentence }) => html`<li><strong>${scope}</strong>: ${sentence}</li>`)}</ul>
<div class="charts">${await figures(sweeps)}</div>
${conditions.slice(1).flatMap((table) => (table === null ? [] : [folded(table.caption, dataTable(table))]))}`;
}

async function reliability(page: CalibrationPage, charts: readonly PageChart[]): Promise<Html> {
  if (page.reliability === null) return html`<p>The scored requests are not in this workspace.</p>`;
  return html`<p class="muted">${page.reliability.requests} After calibration the points should lie on the diagonal.</p>
<div class="charts">${await figures(charts.filter(({ id }) => id.startsWith("reliability-")))}</div>`;
}

/** The page of one calibration as one HTML document without a script. Equal models give equal bytes. */
export async function renderCalibrationHtml(page: CalibrationPage): Promise<string> {
  const charts = calibrationCharts(page);
  const named = async (start: string) => figures(charts.filter(({ id }) => id.startsWith(start)));
  const plan =
    page.plan === null
      ? null
      : pageSection("plan", "What the data could support", html`<div class="charts">${await named("plan-")}</div>`);
  const body = html`${header(page)}<main>
${pageSection(
  "path",
  "How the claim was certified, and when it holds",
  html`<div class="side-by-side">${await named("threshold-sweep-1")}
<div>${sweepReading}
${firstConditions(page)}</div></div>`,
)}
${page.sweeps.length < 2 ? null : pageSection("claims", "Further claims", await furtherClaims(page, charts))}
${pageSection("tiers", "Tiers", dataTable(page.tiers))}
${page.shortlist === null ? null : pageSection("shortlist", "Shortlists", dataTable(page.shortlist))}
${pageSection("reliability", "Confidence before and after calibration", await reliability(page, charts))}
${pageSection("rising", "Does risk rise with the scores of a workflow?", html`<p>${page.risingRisk}</p>`)}
${plan}
${pageSection(
  "left-out",
  "What is declined",
  html`<ul>${page.leftOut.map((sentence) => html`<li>${sentence}</li>`)}</ul>
${folded(page.traffic.caption, dataTable(page.traffic))}`,
)}
${pageSection(
  "fit",
  "How it was fitted",
  html`${dataTable(page.fit)}
${page.candidates.rows.length === 0 ? null : folded(page.candidates.caption, dataTable(page.candidates))}`,
)}
${pageSection("evidence", "Evidence", dataTable(page.digests))}
</main>`;
  return pageDocument({ title: page.title, body });
}
