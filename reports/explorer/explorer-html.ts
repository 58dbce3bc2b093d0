import { type Html, html, trusted } from "../../src/base/html.js";
import { sha256Hex } from "../../src/base/sha256.js";
import { explorerScript } from "./explorer-script.js";
import type { ExplorerView } from "./explorer-view.js";

/** The Content-Security-Policy source that allows only the explorer's script. */
export function explorerScriptSource(): string {
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
<div><dt>Selective risk</dt><dd id="x-risk"></dd></div>
<div><dt>Certified</dt><dd id="x-certified"></dd></div>
<div><dt>Requests decided differently</dt><dd id="x-changed"></dd></div>
</dl>
<p>To certify: <code id="x-command"></code></p>
<details><summary>Requests decided differently</summary><div class="knobs">${select("x-flip", "Change")}</div><ul id="x-changes" class="ids"></ul><button type="button" id="x-more-changes" hidden></button></details>
<h3>Errors</h3>
<div class="knobs">${select("x-bucket", "Outcome")} ${select("x-tier", "Tier")} ${select("x-workflow", "Workflow")} ${select("x-pair", "Pair")}
<label>Search <input type="search" id="x-search" placeholder="${texts === null ? "id or workflow" : "text, id or workflow"}"></label></div>
<p id="x-found" class="muted" role="status"></p>
<div id="x-story-home"><article id="x-story" tabindex="-1" hidden><h3>One request</h3><dl class="pairs" id="x-story-lines"></dl></article></div>
<div class="scroll" role="region" tabindex="0" aria-label="Errors"><table>
<thead><tr><th scope="col">Request</th><th scope="col">Right → first</th><th scope="col" class="num">Confidence</th><th scope="col">Outcome</th></tr></thead>
<tbody id="x-errors"></tbody></table></div>
<button type="button" id="x-more-errors" hidden></button>`;
}

/** The explorer, the only part of a page that needs a script. */
export function explorerHtml(view: ExplorerView): Html {
  const data = JSON.stringify(view).replaceAll("<", "\\u003c");
  return html`<noscript><p>The explorer needs JavaScript. The rest of this page works without it.</p></noscript>
<div id="explorer-controls" hidden>
${controls(view)}
</div>
<script type="application/json" id="explorer-data">${trusted(data)}</script>`;
}

/** The script element. It must be last on the page, after the data that it reads. */
export const explorerScriptElement = (): Html => html`<script>${trusted(explorerScript)}</script>`;
