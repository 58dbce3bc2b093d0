import { type Html, html, trusted, pageBaseStyle } from "../../src/base/html.js";
import {
  formatCount,
  formatTenthsPercent,
  formatFixedPercent,
  formatFixedPercentDown,
  formatFixedPercentUp,
} from "../../src/documents/number-text.js";
import { contentPolicy, onlyThese } from "../content-policy.js";
import { type LiveRate, type OpsFact, type OpsNotice, type OpsView, type ShadowCounts, opsView } from "./ops-view.js";
import { isIP } from "node:net";
import { loopbackHosts } from "../listen.js";
import type { MetricFamily } from "../metrics/exposition.js";
import { hostName, trustedHostTest } from "../plugins/trusted-host.js";

const opsStyle = `${pageBaseStyle}
h1 { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 14px; }
h2 { margin: 30px 0 8px; padding-top: 10px; font-size: 1.15rem; }
.muted { color: var(--muted); font-size: 0.9rem; }
.badge { display: inline-block; padding: 1px 10px; border: 2px solid currentColor; border-radius: 999px; font-weight: 700; font-size: 0.85rem; white-space: nowrap; }
.pass { color: var(--pass); } .fail { color: var(--fail); border-style: double; border-width: 3px; }
.refresh { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; }
button { font: inherit; font-size: 0.9rem; padding: 3px 12px; min-height: 32px; color: var(--data); background: var(--raised); border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
:focus-visible { outline: 3px solid var(--data); outline-offset: 2px; }
.notices { margin: 16px 0 0; padding: 0; list-style: none; }
.notices li { margin: 0 0 6px; padding: 8px 14px; background: var(--raised); border: 1px solid var(--unsure); border-left-width: 6px; border-radius: 6px; overflow-wrap: anywhere; }
.notices .act { border-color: var(--fail); font-weight: 600; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 165px), 1fr)); gap: 10px 20px; margin: 14px 0 0; }
.facts div { border-top: 2px solid var(--line); padding-top: 5px; min-width: 0; }
.facts dt { color: var(--muted); font-size: 0.85rem; }
.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.facts svg { display: block; width: 100%; max-width: 165px; height: 20px; }
.facts polyline { fill: none; stroke: var(--data); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; width: 100%; }
th, td { text-align: left; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; } thead th, thead td { border-bottom: 2px solid var(--line); }
.num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td svg { display: block; width: 100%; min-width: 120px; max-width: 320px; height: 14px; }
.track { fill: var(--grid); } .band { fill: var(--band); stroke: var(--data); stroke-width: 0.4; } .bar { fill: var(--data); }
.live { fill: var(--ink); } .live.out { fill: var(--target); }
@media (max-width: 640px) { header.page { padding-top: 20px; } h1 { font-size: 1.4rem; } }
@media print { button { display: none; } main, header.page { max-width: none; padding: 0; } .scroll { overflow: visible; } tr { break-inside: avoid; } }
`;

/** Milliseconds between two updates; a paused or hidden page does not update. */
const refreshMs = 5000;

/** Values that a line shows: the last 10 minutes. */
const drawnValues = 120;

/**
 * Replaces the parts of the page with newer ones, and draws the numbers of the queue since the page was opened. Without scripts, the reader has to reload the page. */
const opsScript = `
const button = document.querySelector("#pause");
const state = document.querySelector("#state");
let paused = false;
const seen = new Map();
const draw = () => {
  for (const fact of document.querySelectorAll("#queue ~ .facts div")) {
    const label = fact.querySelector("dt").textContent;
    const value = Number.parseFloat(fact.querySelector("dd").textContent.replaceAll(",", ""));
    if (Number.isNaN(value)) continue;
    const values = [...(seen.get(label) ?? []), value].slice(-${drawnValues});
    seen.set(label, values);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    if (low === high) continue;
    const points = values.map((each, k) => 100 * k / (values.length - 1) + "," + (19 - 18 * (each - low) / (high - low)));
    fact.insertAdjacentHTML("beforeend", '<svg viewBox="0 0 100 20" preserveAspectRatio="none" role="img" aria-label="from ' +
      low + " to " + high + '"><polyline points="' + points.join(" ") + '"/></svg>');
  }
};
button.hidden = false;
state.textContent = "Refreshed every 5 seconds.";
button.addEventListener("click", () => {
  paused = !paused;
  button.textContent = paused ? "Resume" : "Pause";
  state.textContent = paused ? "Paused." : "Refreshed every 5 seconds.";
  if (!paused) look();
});
const look = async () => {
  if (paused || document.hidden) return;
  try {
    const answer = await fetch("/ops", { cache: "no-store" });
    if (!answer.ok) throw new Error("status " + answer.status);
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const id of ["head", "live"]) document.getElementById(id).replaceChildren(...next.getElementById(id).childNodes);
    draw();
    state.textContent = "Refreshed every 5 seconds.";
  } catch {
    state.textContent = "The server does not answer; these numbers are older.";
  }
};
draw();
setInterval(look, ${refreshMs});
document.addEventListener("visibilitychange", look);
`;

/** Content security policy of the page: its single style and script, and requests to this server. */
export const opsPagePolicy = contentPolicy({
  scripts: onlyThese([opsScript]),
  styles: onlyThese([opsStyle]),
  asksServer: true,
});

/** The operators' page: one HTML document, without request texts and names of callers. */
export function renderOpsPage(view: OpsView, now: Date): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Sluice: live</title>
<style>${trusted(opsStyle)}</style>
</head>
<body>
<header class="page">
<div id="head">${head(view, now)}</div>
<p class="refresh muted"><span id="state" role="status">Load the page again for newer numbers</span>
<button type="button" id="pause" hidden>Pause</button></p>
</header>
<main>
<div id="live">${live(view)}</div>
</main>
<script>${trusted(opsScript)}</script>
</body>
</html>
`.markup;
}

const noticeItem = ({ alert, text, urgent }: OpsNotice): Html =>
  html`<li${urgent ? html` class="act"` : ""}>${urgent ? html`<span class="fail">✗ Act now.</span> ` : ""}${text} <code>docs/how-to/runbook.md#${alert.toLowerCase()}</code></li>`;

function head({ ready, notices }: OpsView, now: Date): Html {
  const state = ready
    ? html`<span class="badge pass"><span aria-hidden="true">✓ </span>ready</span>`
    : html`<span class="badge fail"><span aria-hidden="true">✗ </span>not ready</span>`;
  const urgent = ready && notices.some((notice) => notice.urgent);
  const act = urgent ? html`<span class="badge fail"><span aria-hidden="true">✗ </span>act now</span>` : null;
  return html`<h1>Live ${state} ${act}</h1>
<p class="muted">${now.toISOString().replace(/\.\d+Z$/u, "Z")}. Counts since this server was started.</p>`;
}

function live(view: OpsView): Html {
  const { notices, bundle, decided, reasons, rates, shadow, queue, exchanges } = view;
  const decisions = reasons.map(({ decision, reasonCode, tier, count, share }) => [
    decision,
    reasonCode,
    tier,
    number(count),
    number(formatTenthsPercent(share)),
    shareBar(share),
  ]);
  const errors = exchanges.map(({ route, status, error, count }) => [route, status, error, number(count)]);
  return html`${notices.length === 0 ? null : html`<ul class="notices">${notices.map(noticeItem)}</ul>`}
${facts(bundle)}
${section("decisions", `Decisions by reason (${formatCount(decided)})`, [
  table("Decisions by reason", ["Decision", "Reason", "Tier", "Count", "Share", ""], decisions),
])}
${section("rates", "Live against the certified interval", ratesPart(rates))}
${section("shadow", "Shadow", shadowPart(shadow))}
${section("queue", "Scoring queue", [facts(queue)])}
${section("http", "HTTP exchanges", [table("HTTP exchanges", ["Route", "Status", "Error", "Count"], errors)])}
`;
}

function ratesPart(rates: readonly LiveRate[]): readonly Html[] {
  const words: Readonly<Record<string, string>> = {
    coverage: "routed by thresholds",
    confidence: "mean confidence of routes",
    abstention: "not routed",
  };
  const rows = rates.map((rate) => [
    words[rate.statistic] ?? rate.statistic,
    rate.tier,
    rate.live === null ? "no data" : number(formatFixedPercent(rate.live)),
    number(`${formatFixedPercentDown(rate.lower)} to ${formatFixedPercentUp(rate.upper)}`),
    strip(rate),
    rate.drifting
      ? html`<span class="badge fail"><span aria-hidden="true">✗ </span>drifts</span>`
      : `${(100 * Math.min(1, rate.shareOfAlarm)).toFixed(0)}% of an alarm`,
  ]);
  return [
    html`<p class="muted">Live is the mean over about the latest 1,000 decisions; the interval is that of the signed
calibration.</p>`,
    table("Live statistics", ["Statistic", "Tier", "Live", "Certified", "", "Drift"], rows),
  ];
}

function shadowPart(shadow: ShadowCounts | null): readonly Html[] {
  if (shadow === null) return [html`<p class="muted">No shadow runs (<code>--shadow</code>).</p>`];
  const { compared, waiting, skipped, flips } = shadow;
  const flipped = flips.reduce((total, { count }) => total + count, 0);
  const share = compared === 0 ? "no data" : formatTenthsPercent(flipped / compared);
  return [
    facts([
      { label: "Compared", value: formatCount(compared) },
      { label: "Different", value: `${formatCount(flipped)} (${share})` },
      { label: "Waiting", value: formatCount(waiting) },
      { label: "Not compared", value: formatCount(skipped) },
    ]),
    ...(flips.length === 0
      ? []
      : [
          table(
            "Flips",
            ["Differs in", "Active", "Shadow", "Tier", "Count"],
            flips.map(({ flip, from, to, tier, count }) => [flip, from, to, tier, number(count)]),
          ),
        ]),
  ];
}

/** The certified interval on a line from 0 to 1, with the live value as a mark; the numbers are next to it as text. */
function strip({ lower, upper, live: value }: LiveRate): Html {
  const out = value !== null && (value < lower || value > upper);
  const mark =
    value === null
      ? null
      : html`<rect class="live${out ? " out" : ""}" x="${(100 * value - 0.75).toFixed(2)}" y="0" width="1.5" height="8"/>`;
  return html`<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" x="0" y="3" width="100" height="2"/><rect class="band" x="${(100 * lower).toFixed(2)}" y="1.5" width="${(100 * (upper - lower)).toFixed(2)}" height="5"/>${mark}</svg>`;
}

function shareBar(share: number): Html {
  return html`<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" x="0" y="1" width="100" height="6"/><rect class="bar" x="0" y="1" width="${(100 * share).toFixed(2)}" height="6"/></svg>`;
}

function section(id: string, title: string, body: readonly Html[]): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${body}
</section>`;
}

function facts(list: readonly OpsFact[]): Html {
  return html`<dl class="facts">${list.map(({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

class NumberCell {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const number = (value: number | string): NumberCell =>
  new NumberCell(typeof value === "number" ? formatCount(value) : value);

type Cell = string | Html | NumberCell;

function table(title: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): Html {
  if (rows.length === 0) return html`<p class="muted">None yet.</p>`;
  const isNumber = (index: number): boolean => rows.some((row) => row[index] instanceof NumberCell);
  const heading = (column: string, index: number): Html => {
    if (column === "") return html`<td aria-hidden="true"></td>`;
    return html`<th scope="col"${isNumber(index) ? html` class="num"` : ""}>${column}</th>`;
  };
  const cell = (value: Cell): Html =>
    value instanceof NumberCell ? html`<td class="num">${value.text}</td>` : html`<td>${value}</td>`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${title}"><table>
<thead><tr>${columns.map(heading)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>${row.map(cell)}</tr>
`,
  )}</tbody></table></div>`;
}

/** The operators' page, served at the metrics address. */
export interface OpsPage {
  readonly accepts: (host: string) => boolean;
  /** Renders the page as HTML, from the same metrics as a scrape. */
  readonly render: (families: readonly MetricFamily[]) => string;
}

/**
 * Creates the operators' page. As protection against DNS rebinding, the Host header must be an IP address, a name of
 * this machine, or a trusted host.
 */
export function createOpsPage(
  trustedHosts: readonly string[],
  { clock, problems }: { readonly clock: () => Date; readonly problems: () => readonly string[] },
): OpsPage {
  const isTrusted = trustedHostTest([...loopbackHosts, ...trustedHosts]);
  return {
    accepts: (header) => {
      const host = hostName(header);
      return isTrusted(host) || isIP(host.replace(/^\[(.*)\]$/u, "$1")) > 0;
    },
    render: (families) => renderOpsPage(opsView(families, problems()), clock()),
  };
}
