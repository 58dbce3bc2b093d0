/** Style of the page. */
export const docsStyle = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
h2 { border-bottom: 1px solid #d0d7de; padding-bottom: .3rem; }
code, pre, textarea { font: 14px/1.45 ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid #d0d7de; padding: .3rem .6rem .3rem 0; }
textarea { width: 100%; box-sizing: border-box; min-height: 8rem; }
pre { background: #f6f8fa; padding: .8rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
button { font: inherit; padding: .3rem 1rem; }
`;

/** Reads the description and builds the page from it; every text goes in as text, never as markup. */
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
const schemaTable = (schema) => {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties).map(([name, field]) =>
    row("td", name, required.has(name) ? "yes" : "no", typeOf(field), field.description ?? ""));
  return element("table", null, row("th", "Field", "Required", "Type", "Meaning"), ...rows);
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
  section.append(element("table", null, row("th", "Status", "Body", "When"), ...answers));
  section.append(...tryIt(method.toUpperCase(), path, described.requestBody !== undefined));
  return section;
};
const build = async () => {
  const described = await (await fetch("/openapi.json")).json();
  const main = document.querySelector("main");
  main.replaceChildren(element("h1", described.info.title), element("p", described.info.description));
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
build().catch((error) => { document.querySelector("main").textContent = String(error); });
`;

/** The page: it loads nothing but the description of this very server. */
export const docsHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sluice: requests and answers</title>
<style>${docsStyle}</style>
</head>
<body>
<main><p>Loading /openapi.json</p></main>
<script>${docsScript}</script>
</body>
</html>
`;
