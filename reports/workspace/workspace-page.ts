import { type Html, html } from "../../src/base/html.js";
import { formatPercent } from "../../src/documents/number-text.js";
import { pageDocument } from "../page-document.js";
import type {
  ProjectPart,
  TriedRequest,
  TryBox,
  WorkspaceCell,
  WorkspaceSection,
  WorkspaceState,
  CompareForm,
  Trend,
  WorkspaceView,
} from "./workspace-view.js";

const workspaceStyle = `
header.page nav { display: block; }
main > section > h2 { margin-top: 36px; scroll-margin-top: 12px; }
td, th[scope="row"] { overflow-wrap: break-word; }
th[scope="row"] { font-weight: 600; white-space: nowrap; }
td code, time { white-space: nowrap; }
.next { margin: 18px 0 0; padding: 12px 18px; background: var(--raised); border-radius: 6px; border-left: 6px solid var(--data); }
.next h2 { margin: 0 0 6px; padding: 0; border: 0; font-size: 1rem; }
.next code { display: block; padding: 2px 0; font-size: 0.9rem; user-select: all; }
form label { display: block; font-weight: 600; margin-bottom: 4px; }
form select { max-width: 100%; min-height: 36px; font: inherit; color: var(--ink); background: var(--paper); }
form textarea { box-sizing: border-box; width: 100%; padding: 8px; font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--muted); border-radius: 6px; }
form button { font: inherit; padding: 6px 16px; min-height: 36px; color: var(--paper); background: var(--data); border: 1px solid var(--data); border-radius: 6px; cursor: pointer; }
.problems { color: var(--fail); }
.rows { display: grid; grid-template-columns: minmax(90px, max-content) minmax(0, 1fr); gap: 4px 18px; margin: 14px 0; font-size: 0.95rem; }
.rows dt { color: var(--muted); } .rows dd { margin: 0; overflow-wrap: anywhere; }
.trends { display: flex; flex-wrap: wrap; gap: 6px 36px; margin-bottom: 14px; } .trends figure { flex: 0 1 300px; }
.trends path { fill: none; stroke: var(--data); stroke-width: 2; } .trends .axis { stroke: var(--line); stroke-width: 1; } .trends circle { fill: var(--data); }
.page-title { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; }
@media (max-width: 640px) { .rows { grid-template-columns: minmax(0, 1fr); gap: 0; } .rows dd { margin-bottom: 6px; } }
@media screen and (max-width: 640px) {
  table, tbody, tr, th[scope="row"], td { display: block; } thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: 8px 0; border-bottom: 1px solid var(--line); } th[scope="row"], td, td.num { border: 0; padding: 2px 0; text-align: left; }
  td { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: 10px; } td::before { content: attr(data-label); color: var(--muted); }
  td code { white-space: normal; } td .verdict { justify-self: start; }
}
@media print { .next { break-inside: avoid; } td code { white-space: normal; } }
`;

/**
 * The page of a workspace as one HTML document (UTF-8): no script, and links only to pages of the same server. Equal
 * views give equal bytes.
 */
export function renderWorkspacePage(view: WorkspaceView): string {
  const { project, sections, next, trying, comparing } = view;
  return pageDocument({
    title: project === null ? "Sluice workspace" : `Sluice: ${project.name}`,
    style: workspaceStyle,
    body: html`<header class="page">
<h1 class="page-title">${project === null ? "Workspace" : project.name} ${project === null ? null : stateOf(project)}</h1>
<p class="muted"><code>${view.workspace}</code>, as of ${view.asOf}; times are UTC. Reload it for newer records.</p>
${trying === null ? html`<p class="muted"><code>${"sluice ui"}</code> has a box to try a request.</p>` : null}
<nav aria-label="Parts of the workspace"><ul>${partsOf(view).map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul></nav>
${next.length === 0 ? null : html`<section class="next" aria-labelledby="next"><h2 id="next">Next</h2>${next.map((line) => html`<code>${line}</code>`)}</section>`}
</header>
<main>
${trying === null ? null : trySection(trying)}${project === null ? null : projectSection(project)}${sections.map(section)}${compareSection(comparing)}</main>`,
  });
}

const isUseful = (form: CompareForm | null): form is CompareForm => form !== null && form.subjects.length > 1;

const partsOf = ({ trying, sections, comparing }: WorkspaceView) => [
  ...(trying === null ? [] : [{ href: "#try", text: "Try a request" }]),
  ...sections.map(({ id, title, rows, older }) => ({ href: `#${id}`, text: `${title} (${rows.length + older})` })),
  ...(isUseful(comparing) ? [{ href: "#compare", text: "Compare two" }] : []),
];

export function renderMissingPage(title: string, message: string, hint: string | null): string {
  return pageDocument({
    title,
    style: workspaceStyle,
    body: html`<header class="page"><h1>${title}</h1></header>
<main><p>${message}</p>${hint === null ? null : html`<p class="muted">${hint}</p>`}<p><a href="/">Back to the workspace</a></p></main>`,
  });
}

function trySection({ token, answer }: TryBox): Html {
  return html`<section id="try" aria-labelledby="try-title"><h2 id="try-title">Try a request</h2>
<form method="post" action="/">
<input type="hidden" name="token" value="${token}">
<label for="text">Text of the request</label>
<textarea id="text" name="text" required maxlength="8000" rows="3">${answer?.text ?? ""}</textarea>
<p><button type="submit">Decide</button> <span class="muted">Nothing is saved. The first request loads the models.</span></p>
</form>
${answer === null ? null : answerPart(answer)}</section>
`;
}

function compareSection(form: CompareForm | null): Html | null {
  if (!isUseful(form)) return null;
  const { token, subjects } = form;
  const choice = (name: string, label: string, chosen: number): Html =>
    html`<p><label for="${name}">${label}</label><select id="${name}" name="${name}">${subjects.map(
      (one, index) => html`<option value="${one.id}"${index === chosen ? html` selected` : ""}>${one.label}</option>`,
    )}</select></p>`;
  return html`<section id="compare" aria-labelledby="compare-title"><h2 id="compare-title">Compare two</h2>
<form method="post" action="/">
<input type="hidden" name="token" value="${token}">
${choice("a", "A, before", 1)}${choice("b", "B, after", 0)}
<p><button type="submit">Compare</button> <span class="muted">Decisions that differ, with what each side promises. Nothing is saved.</span></p>
</form></section>
`;
}

function answerPart({ outcome, reason, candidates }: TriedRequest): Html {
  const rows = candidates.map(({ workflow, tier, likelihood }): readonly WorkspaceCell[] => [
    { kind: "text", text: workflow },
    { kind: "text", text: tier },
    { kind: "number", text: likelihood },
  ]);
  return html`<div class="next" role="status"><h2>${outcome}</h2>${reason === null ? null : html`<p>${reason}</p>`}
${rows.length === 0 ? null : dataRows("Candidates", ["Workflow", "Tier", "Confidence of the first; odds of the others"], rows)}</div>`;
}

const stateOf = ({ upToDate }: ProjectPart): Html =>
  badge(upToDate ? { word: "up to date", tone: "good" } : { word: "steps missing", tone: "open" });

function projectSection({ steps, facts, problems }: ProjectPart): Html {
  const tones: Readonly<Record<string, WorkspaceState["tone"]>> = {
    "up to date": "good",
    missing: "open",
    outdated: "open",
  };
  const rows = steps.map(({ name, state, summary }): readonly WorkspaceCell[] => [
    { kind: "text", text: name },
    { kind: "state", word: state, tone: tones[state] ?? "quiet" },
    { kind: "text", text: summary },
  ]);
  return html`<section id="project" aria-labelledby="project-title"><h2 id="project-title">Project</h2>
${dataRows("Steps of the project", ["Step", "State", "Result"], rows)}
${facts.length === 0 ? null : html`<dl class="rows">${facts.map(({ label, value }) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`}
${problems.length === 0 ? null : html`<ul class="problems">${problems.map((problem) => html`<li>${problem}</li>`)}</ul>`}
</section>
`;
}

function section({ id, title, columns, rows, empty, older, trends = [] }: WorkspaceSection): Html {
  const body = rows.length === 0 ? html`<p class="muted">${empty}</p>` : dataRows(title, columns, rows);
  const more =
    older === 0 ? null : html`<p class="muted">${older} older: <code>${"sluice history log"}</code> lists all.</p>`;
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
${trends.length === 0 ? null : html`<div class="trends">${trends.map(trendFigure)}</div>`}${body}${more}
</section>
`;
}

const [trendWidth, trendHeight] = [300, 60] as const;

/** A line from the oldest record to the newest, above 0; its gaps are records without the share. */
function trendFigure({ label, shares }: Trend): Html {
  const largest = Math.max(...shares.map((share) => share ?? 0), 0.01);
  const points = shares.flatMap((share, at) => {
    if (share === null) return [];
    const x = 6 + ((trendWidth - 12) * at) / Math.max(1, shares.length - 1);
    return [{ at, x: x.toFixed(1), y: (trendHeight - 6 - ((trendHeight - 12) * share) / largest).toFixed(1) }];
  });
  const lines = points.slice(1).flatMap((point, at) => {
    const before = points[at];
    return before?.at === point.at - 1 ? [html`<path d="M${before.x} ${before.y}L${point.x} ${point.y}"/>`] : [];
  });
  const told = shares.map((share) => (share === null ? "none" : formatPercent(share, 1)));
  return html`<figure><figcaption>${label}: ${courseOf(told)}</figcaption>
<svg viewBox="0 0 ${trendWidth} ${trendHeight}" role="img" aria-label="${label}, oldest first: ${told.join(", ")}"><path class="axis" d="M0 ${trendHeight - 6}H${trendWidth}"/>${lines}${points.map(({ x, y }) => html`<circle cx="${x}" cy="${y}" r="3"/>`)}</svg></figure>`;
}

/** Every share, oldest first; of many, the first one and the last ones. */
const courseOf = (told: readonly string[]): string =>
  (told.length <= mostTold ? told : [...told.slice(0, 1), "…", ...told.slice(2 - mostTold)]).join(" → ");
const mostTold = 6;

/**
 * A table that scrolls within its own box on narrow pages. On a phone each row is displayed as a card; ARIA roles
 * preserve the table semantics.
 */
function dataRows(title: string, columns: readonly string[], rows: readonly (readonly WorkspaceCell[])[]): Html {
  const numeric = (index: number): Html | string => (rows[0]?.[index]?.kind === "number" ? html` class="num"` : "");
  const label = (index: number): Html => html` role="cell" data-label="${columns[index] ?? ""}"`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${title}"><table role="table">
<thead role="rowgroup"><tr role="row">${columns.map((column, index) => html`<th role="columnheader" scope="col"${numeric(index)}>${column}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`<tr role="row">${row.map((cell, index) =>
      index === 0
        ? html`<th role="rowheader" scope="row">${content(cell)}</th>`
        : html`<td${label(index)}${numeric(index)}>${content(cell)}</td>`,
    )}</tr>
`,
  )}</tbody></table></div>`;
}

function content(cell: WorkspaceCell): Html | string {
  switch (cell.kind) {
    case "text":
    case "number":
      return cell.text;
    case "time":
      return html`<time datetime="${cell.at}">${cell.at.slice(0, 16).replace("T", " ")}</time>`;
    case "link":
      return html`<a href="${cell.href}">${cell.text}</a>`;
    case "state":
      return badge(cell);
  }
}

function badge({ word, tone }: WorkspaceState): Html {
  const look = {
    good: { className: "pass", sign: "✓" },
    bad: { className: "fail", sign: "✗" },
    open: { className: "unsure", sign: "?" },
    quiet: { className: "abstain", sign: "–" },
  }[tone];
  return html`<span class="verdict ${look.className}"><span aria-hidden="true">${look.sign} </span>${word}</span>`;
}
