import { pageBaseStyle } from "../../src/base/html.js";
import type { FastifyInstance } from "fastify";
import { contentPolicy, onlyThese } from "../content-policy.js";
import { openApiDocument } from "./document.js";

export const docsStyle = `${pageBaseStyle}
h2 { overflow-wrap: anywhere; }
code, pre, textarea { font: 14px/1.45 ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
.scroll { overflow-x: auto; }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); padding: 5px 10px 5px 0; overflow-wrap: break-word; }
textarea { width: 100%; min-height: 8rem; padding: 8px; color: var(--ink); background: var(--paper); border: 1px solid var(--muted); border-radius: 6px; }
#try textarea { min-height: 4.5rem; font: inherit; }
pre { background: var(--raised); padding: 12px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
pre:empty { display: none; }
button { font: inherit; padding: 6px 16px; min-height: 36px; color: var(--data); background: var(--raised); border: 1px solid var(--line); border-radius: 6px; cursor: pointer; }
#try button { color: var(--paper); background: var(--data); border-color: var(--data); }
:focus-visible { outline: 3px solid var(--data); outline-offset: 2px; }
label { display: block; font-weight: 600; margin-bottom: 4px; }
.muted { color: var(--muted); font-size: 0.9rem; }
.answer { margin: 16px 0 0; padding: 14px 18px; background: var(--raised); border-left: 6px solid var(--abstain); border-radius: 4px; }
.answer.ROUTE { border-left-color: var(--pass); } .answer.failed { border-left-color: var(--fail); }
.answer .sentence { font-size: 1.2rem; font-weight: 600; margin: 0 0 4px; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--data); padding: 6px 0; }
a { color: var(--data); }
`;

/** Reads the API description and builds the page from it. Every text is inserted as text, never as markup. */
export const docsScript = `
const element = (name, text, ...children) => {
  const made = document.createElement(name);
  if (text !== null) made.textContent = text;
  made.append(...children);
  return made;
};
const nameOf = (ref) => ref.split("/").at(-1);
const typeOf = (schema) => {
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.type === "array") return "list of " + typeOf(schema.items);
  const limits = ["minLength", "maxLength", "minimum", "maximum", "pattern"].filter((key) => key in schema);
  return [schema.type ?? "any", ...limits.map((key) => key + " " + schema[key])].join(", ");
};
const row = (cell, ...texts) => element("tr", null, ...texts.map((text) => element(cell, text)));
const scrolling = (table) => {
  const box = element("div", null, table);
  box.className = "scroll";
  box.tabIndex = 0;
  return box;
};
const schemaTable = (schema) => {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties).map(([name, field]) =>
    row("td", name, required.has(name) ? "yes" : "no", typeOf(field), field.description ?? ""));
  return scrolling(element("table", null, row("th", "Field", "Required", "Type", "Meaning"), ...rows));
};
const example = JSON.stringify({ text: "where is my order", debug: true }, null, 2);
const tryIt = (method, path, hasBody) => {
  const body = element("textarea", null);
  body.value = example;
  body.setAttribute("aria-label", "Body of " + path);
  const send = element("button", "Send");
  const result = element("pre", "");
  result.setAttribute("aria-live", "polite");
  send.addEventListener("click", async () => {
    const init = hasBody ? { method, headers: { "content-type": "application/json" }, body: body.value } : { method };
    try {
      const answer = await fetch(path, init);
      const text = await answer.text();
      result.textContent = answer.status + " " + answer.statusText + "\\n" + JSON.stringify(JSON.parse(text), null, 2);
    } catch (error) {
      result.textContent = String(error);
    }
  });
  return hasBody ? [body, send, result] : [send, result];
};
const operation = (path, method, described) => {
  const section = element("section", null, element("h2", method.toUpperCase() + " " + path));
  section.dataset.operation = described.operationId;
  section.append(element("p", described.summary));
  const answers = Object.entries(described.responses).map(([status, answer]) => {
    const [type, { schema }] = Object.entries(answer.content)[0];
    return row("td", status, nameOf(schema.$ref) + " (" + type + ")", answer.description);
  });
  section.append(scrolling(element("table", null, row("th", "Status", "Body", "When"), ...answers)));
  section.append(...tryIt(method.toUpperCase(), path, described.requestBody !== undefined));
  return section;
};
const percent = (value) => (value === null || value === undefined ? "" : (100 * value).toFixed(1) + " %");
const candidateTable = (candidates) => {
  const rows = candidates.map(({ workflow_id: id, risk_tier: tier, confidence, confidence_threshold: needed }) =>
    row("td", id, tier, percent(confidence), needed === null ? "abstains" : percent(needed)));
  return scrolling(element("table", null, row("th", "Workflow", "Tier", "Confidence", "Needed"), ...rows));
};
const sentenceOf = (status, answer) => {
  if (status !== 200) return answer.title + " (" + answer.code + ")";
  if (answer.between) return answer.between.map(({ workflow_id: id }) => id).join(" or ") + "?";
  return answer.decision === "ROUTE" ? "Routed to " + answer.workflow_id : answer.decision + ": " + answer.reason_code;
};
const post = (path, body) =>
  fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
const shortlistOf = async ({ decision }, text) => {
  const found = decision === "LLM_REQUIRED" ? await post("/v1/shortlist", { text }) : null;
  return found?.ok ? (await found.json()).workflows : [];
};
const shortlistTable = (workflows) => {
  const rows = workflows.map(({ workflow_id: id, confidence }) => row("td", id, percent(confidence)));
  return scrolling(element("table", null, row("th", "It may be one of these", "Confidence"), ...rows));
};
const show = (place, status, answer, shortlist) => {
  const sentence = element("p", sentenceOf(status, answer));
  sentence.className = "sentence";
  const parts = [sentence];
  if (status === 200) {
    const missing = answer.missing_inputs.length === 0 ? "" : " Missing inputs: " + answer.missing_inputs.join(", ") + ".";
    parts.push(element("p", "Confidence of the first workflow " + percent(answer.confidence) + "." + missing));
  }
  if (shortlist.length > 0 && !answer.between) parts.push(shortlistTable(shortlist));
  if (answer.candidates?.length > 0) parts.push(candidateTable(answer.candidates));
  parts.push(element("details", null, element("summary", "The whole answer"), element("pre", JSON.stringify(answer, null, 2))));
  place.className = "answer " + (status === 200 ? answer.decision : "failed");
  place.replaceChildren(...parts);
};
const openBox = () => {
  const form = document.querySelector("#try");
  const place = document.querySelector("#answer");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const text = form.elements.text.value;
      const answer = await post("/v1/route", { text, debug: true });
      const decided = await answer.json();
      show(place, answer.status, decided, await shortlistOf(decided, text));
    } catch (error) {
      show(place, 0, { title: "The server does not answer", code: String(error) }, []);
    }
  });
  form.elements.text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); form.requestSubmit(); }
  });
};
const build = async () => {
  const described = await (await fetch("/openapi.json")).json();
  const main = document.querySelector("#reference");
  main.replaceChildren(element("p", described.info.description));
  for (const [path, methods] of Object.entries(described.paths)) {
    for (const [method, found] of Object.entries(methods)) main.append(operation(path, method, found));
  }
  for (const [name, schema] of Object.entries(described.components.schemas)) {
    const section = element("section", null, element("h2", name), schemaTable(schema));
    section.dataset.schema = name;
    main.append(section);
  }
  document.body.dataset.ready = "true";
};
openBox();
build().catch((error) => { document.querySelector("#reference").textContent = String(error); });
`;

/**
 * The page: a request form, then the parameters and responses of each operation. It loads nothing but the API
 * description of this server. @param hasWorkspace  whether the server shows the workspace at `/`
 */
export const docsHtml = (hasWorkspace: boolean): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Sluice: try a request</title>
<style>${docsStyle}</style>
</head>
<body>
<header class="page">
<h1>Try a request</h1>
${hasWorkspace ? `<nav><a href="/">Workspace</a></nav>` : ""}</header>
<main>
<form id="try">
<label for="text">Text of the request</label>
<textarea id="text" name="text" required maxlength="8000"></textarea>
<p><button type="submit">Send</button> <span class="muted">or Enter; nothing is saved</span></p>
</form>
<div id="answer" aria-live="polite"></div>
<h2>How it answers</h2>
<p>The router ranks the whole catalog, scores the best workflows, and routes when the confidence of the first one is at
least what the calibration certified for its risk tier. Otherwise it declines and says why. A declined request is an
answer: the caller asks again, or hands over to a person.</p>
<h2>Operations and schemas</h2>
<div id="reference"><p>Loading /openapi.json</p></div>
</main>
<script>${docsScript}</script>
</body>
</html>
`;

/** Paths that are served only in development. */
export const docsPaths = ["/docs", "/openapi.json"] as const;

/** Serves the API description at `/openapi.json`, and at `/docs` a page to read it and try it out. */
export function addDocs(app: FastifyInstance): void {
  const document = openApiDocument();
  const policy = contentPolicy({
    scripts: onlyThese([docsScript]),
    styles: onlyThese([docsStyle]),
    asksServer: true,
  });
  app.get("/openapi.json", async () => document);
  app.get("/docs", async (_request, reply) =>
    reply
      .header("content-security-policy", policy)
      .type("text/html; charset=utf-8")
      .send(docsHtml(app.hasRoute({ method: "GET", url: "/" }))),
  );
}
