// Chooses the background requests that models/default ships: 300 texts of the public intent projects in DATA/corpus, at most
// one of each intent, the projects in turn, none near to a text of CLINC150 or to a test text of BANKING77. The same data
// gives the same bytes. node scripts/choose-background.mjs [DATA [OUT]], after a build.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { heldOutTexts } from "./held-out-texts.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { NearTexts } = await import(join(root, "dist", "workbench", "fit", "words", "near-texts.js"));
const { lemmasOf } = await import(join(root, "dist", "src", "retrieval", "words", "lemmas.js"));
const [data = join(root, "..", "shared", "data"), out = join(root, "models", "default", "background")] =
  process.argv.slice(2);
const wanted = 300;
/** Sources under share-alike terms, which would bind the whole file. */
const leftOut = /CC BY-SA|CDLA-Sharing/;

const digest = (text) => createHash("sha256").update(text).digest("hex");
const rows = readFileSync(join(data, "corpus", "MANIFEST.tsv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split("\t"));
const licences = new Map(rows.map(([file, repository, commit, licence]) => [file, { repository, commit, licence }]));
const held = new NearTexts(heldOutTexts(data).map(lemmasOf));

/** One text of each intent of a project, in an order that the texts give. */
function textsOf(name) {
  const groups = new Map();
  for (const line of gunzipSync(readFileSync(join(data, "corpus", "pairs", name)))
    .toString("utf8")
    .trim()
    .split("\n")) {
    const [group, text] = line.split("\t").map((part) => part.replace(/\s+/g, " ").trim());
    const words = text.split(" ").length;
    if (words < 3 || words > 25 || /[{}[\]<>|@#]/.test(text) || held.has(lemmasOf(text))) continue;
    const before = groups.get(group);
    if (before === undefined || digest(text) < digest(before)) groups.set(group, text);
  }
  return [...groups.values()].sort((a, b) => (digest(a) < digest(b) ? -1 : 1));
}

const sources = readdirSync(join(data, "corpus", "pairs"))
  .filter((name) => name.startsWith("intent."))
  .sort()
  .map((name) => ({ name, ...licences.get(`pairs/${name}`) }))
  .filter(({ licence }) => !leftOut.test(licence))
  .map((source) => ({ ...source, texts: textsOf(source.name) }));

const chosen = [];
const seen = new Set();
for (let turn = 0; chosen.length < wanted; turn += 1) {
  for (const { name, texts } of sources) {
    const text = texts[turn];
    const words = text === undefined ? "" : lemmasOf(text).join(" ");
    if (words === "" || seen.has(words) || chosen.length === wanted) continue;
    seen.add(words);
    chosen.push({ source: name.replace(/^intent\.|\.tsv\.gz$/g, ""), text });
  }
}
const lines = chosen.map(({ source, text }, place) => {
  const id = `background-${String(place + 1).padStart(3, "0")}`;
  return `${JSON.stringify({ id, text, workflow_id: null, group_id: id, slices: { source } })}\n`;
});
const requests = lines.join("");
const card = {
  schema_version: 1,
  requests_sha256: digest(requests),
  requests: chosen.length,
  sources: sources.map(({ name, repository, commit, licence }) => {
    const source = name.replace(/^intent\.|\.tsv\.gz$/g, "");
    return { source, repository, commit, licence, requests: chosen.filter((one) => one.source === source).length };
  }),
};
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "requests.jsonl"), requests);
writeFileSync(join(out, "card.json"), `${JSON.stringify(card, null, 2)}\n`);
