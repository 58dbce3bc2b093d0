import { sha256Hex } from "../../src/base/sha256.js";
import { type Html, html, trusted } from "../../src/base/html.js";
import { pageDocument } from "../page-document.js";

/** A workflow that a request may belong to. */
export interface LabelChoice {
  readonly workflow_id: string;
  readonly name: string;
}

/** What is asked next. */
export interface LabelQuestion {
  /** An example for the router, a drawn route, or a drawn route that another person judged before. */
  readonly phase: "example" | "test" | "second";
  readonly row: string;
  readonly text: string;
  /** The likeliest workflows: best first among examples, in random order otherwise. */
  readonly shortlist: readonly LabelChoice[];
}

export interface LabelView {
  /** null: nothing is left to ask this person. */
  readonly question: LabelQuestion | null;
  /** One sentence about how far the labelling has come. */
  readonly progress: string;
  readonly workflows: readonly LabelChoice[];
  /** Whether the latest click can be withdrawn. */
  readonly canUndo: boolean;
  /** Whether routes are tested after the examples. */
  readonly isTested: boolean;
  /** How else a claim can be reached, before the first click; null after it. */
  readonly advice: string | null;
}

/** Content of the page of `sluice label`. It contains texts of the log, so it is served only to this machine. */
export interface LabelPageView extends LabelView {
  /** Token that the form sends back; see `startFormServer`. */
  readonly token: string;
  readonly actor: string;
  /** The next command when nothing is left. */
  readonly next: string;
}

/** Presses the button whose key was typed; the search takes the keys itself. */
const script = `
document.addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("search")?.focus();
    return;
  }
  const button = document.querySelector('button[data-key="' + CSS.escape(event.key.toLowerCase()) + '"]');
  if (button instanceof HTMLButtonElement && !event.repeat) button.click();
});
document.addEventListener("submit", (event) => {
  if (document.body.dataset.sent === "yes") event.preventDefault();
  document.body.dataset.sent = "yes";
  document.querySelector("main")?.setAttribute("aria-busy", "true");
});
`;
const scriptSource = `'sha256-${Buffer.from(sha256Hex(script), "hex").toString("base64")}'`;

const style = `
.request { font-size: 1.3rem; line-height: 1.4; margin: 12px 0 18px; padding: 12px 16px; border-left: 4px solid var(--data); background: var(--raised); white-space: pre-wrap; overflow-wrap: anywhere; max-width: 70ch; }
.keys { display: grid; gap: 8px; max-width: 34rem; }
.keys button { min-height: 44px; text-align: left; font-size: 1rem; }
.keys .more, .find { display: flex; flex-wrap: wrap; gap: 8px; }
.find { margin-top: 8px; } .find input { flex: 1; min-height: 44px; font: inherit; min-width: 0; padding: 0 8px; }
kbd { display: inline-block; min-width: 1.4em; margin-right: 8px; text-align: center; border: 1px solid var(--line); border-radius: 4px; }
[aria-busy] { opacity: 0.6; }
`;

const titles: Readonly<Record<LabelQuestion["phase"], string>> = {
  example: "Examples",
  test: "Test",
  second: "Second opinions",
};

const explanations: Readonly<Record<LabelQuestion["phase"], string>> = {
  example: "Which workflow does this request belong to? The router learns from your answers.",
  test: "Which workflow does this request belong to? Routes are drawn at random. The order of the suggestions says nothing.",
  second: "Which workflow does this request belong to? Another person has judged it; you do not see the answer.",
};

/** The page as one HTML document (UTF-8). */
export function renderLabelPage(view: LabelPageView): string {
  const { question, progress, actor, advice } = view;
  const title = question === null ? "Labelling" : titles[question.phase];
  return pageDocument({
    title,
    style,
    scriptSource,
    body: html`<header class="page"><h1>${title}</h1>
<p id="progress" role="status">${progress}</p>
<p class="muted">You are ${actor}. Each click is saved; you can stop at any time.</p>
${advice === null ? null : html`<p class="muted">${advice}</p>`}
</header>
<main>${question === null ? donePart(view) : formOf(view, question)}</main>
<script>${trusted(script)}</script>`,
  });
}

function formOf({ token, workflows, canUndo }: LabelPageView, { phase, row, text, shortlist }: LabelQuestion): Html {
  return html`<p>${explanations[phase]}</p>
<p class="request" lang="">${text}</p>
<form method="post" action="/"><input type="hidden" name="token" value="${token}"><input type="hidden" name="row" value="${row}"><input type="hidden" name="phase" value="${phase}">
<div class="keys">${shortlist.map(
    ({ workflow_id: id, name }, index) =>
      html`<button name="workflow" value="${id}" data-key="${index + 1}"><kbd>${index + 1}</kbd>${name}</button>`,
  )}
<button name="do" value="none" data-key="0"><kbd>0</kbd>None of the workflows</button>
<div class="more"><button name="do" value="unsure" data-key="u"><kbd>u</kbd>Unsure</button>
${canUndo ? html`<button name="do" value="undo" data-key="z"><kbd>z</kbd>Undo the last click</button>` : null}</div></div>
</form>
<form method="post" action="/" class="find"><input type="hidden" name="token" value="${token}"><input type="hidden" name="row" value="${row}"><input type="hidden" name="phase" value="${phase}">
<input id="search" name="workflow" list="workflows" required aria-label="Another workflow" placeholder="/ another workflow" autocomplete="off">
<datalist id="workflows">${workflows.map(({ workflow_id: id, name }) => html`<option value="${id}">${name}</option>`)}</datalist>
<button>Choose</button></form>`;
}

const donePart = ({ next, isTested }: LabelPageView): Html =>
  html`<div class="command"><p>Next, in the terminal:</p><code>${next}</code></div>
${isTested ? html`<p class="muted">Another person can give second opinions: <code>sluice label --actor NAME</code></p>` : null}`;
