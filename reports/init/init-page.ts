import { sha256Hex } from "../../src/base/sha256.js";
import { type Html, html, trusted } from "../../src/base/html.js";
import { pageDocument } from "../page-document.js";
import { pageSection, warningBox } from "../render-html.js";

/** A choice on the page. The first option is the recognised value, used if nothing is chosen. */
export interface InitChoice {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
}

export interface InitLabel {
  readonly label: string;
  /** null: the texts are out of scope. */
  readonly workflowId: string | null;
  readonly examples: number;
  readonly measure: number;
}

/**
 * Content of the page of `sluice init FILE --open`. It contains texts of the file, so it is served only to this
 * machine.
 */
export interface InitPageView {
  readonly source: string;
  readonly folder: string;
  /** Token that the form sends back; see `startFormServer`. */
  readonly token: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** Why nothing can be drafted with these choices; null if it can. */
  readonly problem: { readonly message: string; readonly hint: string } | null;
  /** The first rows of the file. `texts` and `label` are column positions; empty and -1 if none is chosen. */
  readonly table: {
    readonly header: readonly string[];
    readonly rows: readonly (readonly string[])[];
    readonly texts: readonly number[];
    readonly label: number;
  } | null;
  readonly choices: readonly InitChoice[];
  readonly labels: readonly InitLabel[];
  readonly warnings: readonly string[];
  readonly lists: readonly { readonly id: string; readonly title: string; readonly items: readonly string[] }[];
  readonly command: string;
  /** The written files and the next command; null if nothing has been written. */
  readonly written: { readonly files: readonly string[]; readonly next: string } | null;
}

/** Submits the form when a choice changes, and focuses the same choice on the next page. */
const script = `
const form = document.querySelector("form");
const last = sessionStorage.getItem("choice");
if (last !== null) document.getElementById(last)?.focus();
form?.addEventListener("change", ({ target }) => {
  sessionStorage.setItem("choice", target.id);
  form.requestSubmit(document.getElementById("show"));
});
`;
const scriptSource = `'sha256-${Buffer.from(sha256Hex(script), "hex").toString("base64")}'`;

const style = `
.chosen { border-left: 4px solid var(--data); padding-left: 8px; background: var(--raised); }
.role { display: block; color: var(--data); font-size: 0.8rem; }
td { overflow-wrap: break-word; min-width: 8rem; }
.labels input { width: 24px; height: 24px; }
.actions { display: flex; flex-wrap: wrap; gap: 12px; margin: 18px 0; }
.actions button { min-height: 40px; }
.command code { display: block; padding: 8px 12px; background: var(--raised); user-select: all; }
@media (max-width: 640px) { th, td { min-width: 5rem; } }
`;

/** The page as one HTML document (UTF-8). Equal views give equal bytes. */
export function renderInitPage(view: InitPageView): string {
  const title = `New project from ${view.source}`;
  return pageDocument({
    title,
    style,
    scriptSource,
    body: html`<header class="page"><h1>${title}</h1>
<p class="muted">Folder <code>${view.folder}</code>. ${view.written === null ? "Nothing is written until you confirm." : null}</p>
${view.written === null ? factsOf(view.facts) : null}
</header>
<main>
${view.written === null ? formOf(view) : writtenPart(view.written)}
</main>
<script>${trusted(script)}</script>`,
  });
}

const factsOf = (facts: InitPageView["facts"]): Html =>
  html`<dl class="facts">${facts.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;

function formOf(view: InitPageView): Html {
  const { problem, table, choices, labels, warnings, lists, token, command } = view;
  return html`${
    problem === null
      ? null
      : html`<aside class="warnings" role="alert"><h2>No project can be made from these choices</h2><p>${problem.message}</p><p>${problem.hint}</p></aside>`
  }${warningBox(warnings)}
<form method="post" action="/"><input type="hidden" name="token" value="${token}">
${pageSection("choices", "How the file is read", html`<div class="knobs">${choices.map(choiceOf)}</div>`)}
${table === null ? null : pageSection("file", "The file", fileTable(table))}
${labels.length === 0 ? null : pageSection("labels", "Labels", labelTable(labels))}
${lists.filter(({ items }) => items.length > 0).map(({ id, title, items }) => pageSection(id, title, html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`))}
${pageSection(
  "write",
  "Write the project",
  html`<div class="command"><p>This command does the same:</p><code>${command}</code></div>
<div class="actions"><button id="show" name="do" value="show">Show the effect</button>
${problem === null ? html`<button id="write-project" name="do" value="write">Write project</button>` : null}</div>`,
)}
</form>`;
}

const choiceOf = ({ name, label, value, options }: InitChoice): Html =>
  html`<label for="c-${name}">${label}<select id="c-${name}" name="${name}">${options.map(
    (option) =>
      html`<option value="${option.value}"${option.value === value ? html` selected` : null}>${option.text}</option>`,
  )}</select></label>`;

function fileTable({ header, rows, texts, label }: NonNullable<InitPageView["table"]>): Html {
  const role = (column: number): string | null => (texts.includes(column) ? "text" : column === label ? "label" : null);
  const look = (column: number): Html | null => (role(column) === null ? null : html` class="chosen"`);
  return html`<div class="scroll" role="region" tabindex="0" aria-label="First rows of the file"><table>
<thead><tr>${header.map((name, column) => {
    const chosen = role(column);
    return html`<th scope="col"${look(column)}>${name === "" ? "(no name)" : name}${chosen === null ? null : html`<span class="role">${chosen}</span>`}</th>`;
  })}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell, column) => html`<td${look(column)}>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

function labelTable(labels: readonly InitLabel[]): Html {
  return html`<div class="scroll labels" role="region" tabindex="0" aria-label="Labels and their texts"><table>
<thead><tr><th scope="col">Label</th><th scope="col">Workflow</th><th scope="col" class="num">Examples</th><th scope="col" class="num">Test requests</th><th scope="col">Out of scope</th></tr></thead>
<tbody>${labels.map(
    ({ label, workflowId, examples, measure }, index) =>
      html`<tr><th scope="row">${label}</th><td>${workflowId ?? "none"}</td><td class="num">${examples}</td><td class="num">${measure}</td><td><input type="checkbox" id="o-${index}" name="outside" value="${label}" aria-label="${label} is out of scope"${workflowId === null ? html` checked` : null}></td></tr>`,
  )}</tbody></table></div>`;
}

const writtenPart = ({ files, next }: NonNullable<InitPageView["written"]>): Html =>
  pageSection(
    "written",
    "The project has been written",
    html`<ul>${files.map((file) => html`<li><code>${file}</code></li>`)}</ul>
<div class="command"><p>Next, in the terminal:</p><code>${next}</code></div>
<p class="muted">You can close this page.</p>`,
  );
