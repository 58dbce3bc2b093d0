import { formatOdds } from "../../src/documents/number-text.js";
import { answerOf, bytesOfBase64, changedRequests, isAccepted, weightsOf } from "./answer.js";

const computed = [isAccepted, weightsOf, answerOf, changedRequests, bytesOfBase64];

/** Connects the controls of the page to the computation. Every text is inserted as text, never as markup. */
const page = `
const at = (id) => document.getElementById(id);
const view = JSON.parse(at("explorer-data").textContent);
const c = view.columns;
const wide = view.workflows.length > 65535;
const none = wide ? 4294967295 : 65535;
const places = (text) => new (wide ? Uint32Array : Uint16Array)(bytesOfBase64(text).buffer);
const columns = {
  confidence: new Float64Array(bytesOfBase64(c.confidence).buffer),
  flags: bytesOfBase64(c.flags), tier: bytesOfBase64(c.tier), bucket: bytesOfBase64(c.bucket), reason: bytesOfBase64(c.reason),
  right: places(c.right),
  candidateWorkflow: places(c.candidateWorkflow),
  candidateOdds: new Float32Array(bytesOfBase64(c.candidateOdds).buffer),
};
const tiers = ["low", "medium", "high", "critical"];
const step = 50;
const shown = { changes: step, errors: step };
const state = { thresholds: [...view.thresholds], share: null, tier: "", bucket: "", workflow: "", pair: "", flip: "", id: "" };
const workflowName = (index) => (index === none ? "(out of scope)" : view.workflows[index]);
const firstOf = (i) => columns.candidateWorkflow[i * 3];
const same = () => state.thresholds.every((t, k) => t === view.thresholds[k]);
const percent = (x) => (x === null ? "no data" : (100 * x).toFixed(2) + "%");
const count = (x) => x.toLocaleString("en-US");

const option = (select, value, label) => {
  const made = document.createElement("option");
  made.value = value; made.textContent = label;
  select.append(made);
};
for (const tier of tiers) { option(at("x-scope"), tier, "tier " + tier); option(at("x-tier"), tier, tier); }
for (const flip of ["declined right", "declined wrong", "routed right", "routed wrong"]) option(at("x-flip"), flip, "now " + flip.replace(" ", ", "));
for (const bucket of view.buckets) option(at("x-bucket"), bucket, bucket.replaceAll("_", " "));
for (const workflow of view.workflows) option(at("x-workflow"), workflow, workflow);
const pairs = new Map();
for (let i = 0; i < view.ids.length; i += 1) {
  if (columns.flags[i] & 2 || firstOf(i) === none) continue;
  const key = columns.right[i] + ">" + firstOf(i);
  pairs.set(key, (pairs.get(key) ?? 0) + 1);
}
for (const [key, n] of [...pairs].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 100)) {
  const [right, first] = key.split(">").map(Number);
  option(at("x-pair"), key, workflowName(right) + " → " + workflowName(first) + " (" + n + ")");
}

const load = () => {
  const saved = new URLSearchParams(location.hash.startsWith("#explore?") ? location.hash.slice(9) : "");
  const valid = (text, old) => {
    if (text === "none") return null;
    const value = text === undefined || text === "" ? NaN : Number(text);
    return value >= 0 && value <= 1 ? value : old;
  };
  const given = saved.get("t")?.split(",") ?? [];
  state.thresholds = view.thresholds.map((old, k) => valid(given[k], old));
  const share = valid(saved.get("oos") ?? "none", null);
  state.share = share === null ? null : Math.min(share, 0.95);
  for (const key of ["tier", "bucket", "workflow", "pair", "flip", "id"]) state[key] = saved.get(key) ?? "";
};
const save = () => {
  const kept = new URLSearchParams();
  if (!same()) kept.set("t", state.thresholds.map((t) => t ?? "none").join(","));
  if (state.share !== null) kept.set("oos", state.share);
  for (const key of ["tier", "bucket", "workflow", "pair", "flip", "id"]) if (state[key] !== "") kept.set(key, state[key]);
  const text = kept.toString();
  history.replaceState(null, "", text === "" ? location.pathname + location.search : "#explore?" + text);
};

const more = (name, total) => {
  const button = at("x-more-" + name);
  button.hidden = total <= shown[name];
  button.textContent = "Show all " + count(total);
};
const opener = (i) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = view.ids[i];
  button.addEventListener("click", () => {
    state.id = state.id === view.ids[i] ? "" : view.ids[i];
    story(); save();
    (state.id === "" ? button : at("x-story")).focus();
  });
  return button;
};
const list = (box, rows, note) => {
  box.replaceChildren(...rows.map((i) => {
    const item = document.createElement("li");
    item.append(opener(i), " " + note(i));
    return item;
  }));
};
const errorRow = (i) => {
  const row = document.createElement("tr");
  row.dataset.request = i;
  const cells = [[opener(i), ...(view.texts ? [" " + view.texts[i]] : [])],
    [workflowName(columns.right[i]) + " → " + (firstOf(i) === none ? "none" : workflowName(firstOf(i)))],
    [columns.confidence[i].toFixed(3)], [errorNote(i)]];
  row.append(...cells.map((content, k) => {
    const cell = document.createElement("td");
    if (k === 2) cell.className = "num";
    cell.append(...content);
    return cell;
  }));
  return row;
};
const isWrongRoute = (i) => (columns.flags[i] & 8) !== 0 && (columns.flags[i] & 2) === 0;
const holds = (i, words) => words === "" || [view.ids[i], view.texts ? view.texts[i] : "", workflowName(columns.right[i]),
  firstOf(i) === none ? "" : workflowName(firstOf(i))].some((text) => text.toLowerCase().includes(words));
const routeNote = (i) => (columns.flags[i] & 8 ? "routed → declined" : "declined → routed") + (columns.flags[i] & 2 ? ", right" : ", wrong");
const errorNote = (i) => view.buckets[columns.bucket[i]].replaceAll("_", " ");

const listNote = (i) => (view.listed[i] & 15 || "no") + " workflow" + ((view.listed[i] & 15) === 1 ? "" : "s") +
  (view.listed[i] & 16 ? ", the right one among them" : "");

const answer = () => {
  const began = performance.now();
  const { thresholds, share } = state;
  const found = answerOf(columns, { thresholds, outOfScopeShare: share });
  at("x-coverage").textContent = percent(found.coverage) + " (" + count(found.accepted) + " of " + count(view.ids.length) + " routed)";
  at("x-risk").textContent = found.risk === null ? "no data" :
    percent(found.risk) + " (" + count(found.wrong) + " wrong)";
  const inForce = same() && view.certified && (share === null || share === view.outOfScopeShare);
  at("x-certified").textContent = inForce
    ? "The certified thresholds."
    : "Not certified: this threshold was chosen with the answers in view. To certify one, run the command below.";
  at("x-certified").className = inForce ? "pass" : "unsure";
  at("x-command").textContent = "sluice calibrate fit" + " --run " + view.run + view.fitOptions +
    (share === null ? view.shareOption : " --out-of-scope-share " + share);
  at("x-changed").textContent = count(found.changed);
  const flips = changedRequests(columns, thresholds, state.flip);
  list(at("x-changes"), flips.slice(0, shown.changes), routeNote);
  more("changes", flips.length);
  at("explorer").dataset.milliseconds = (performance.now() - began).toFixed(1);
};
const errors = () => {
  const rows = [];
  const words = at("x-search").value.trim().toLowerCase();
  const bucket = view.buckets.indexOf(state.bucket), tier = tiers.indexOf(state.tier);
  const workflow = view.workflows.indexOf(state.workflow), right = view.buckets.indexOf("right");
  for (let i = 0; i < view.ids.length; i += 1) {
    if (state.bucket === "" ? columns.bucket[i] === right : columns.bucket[i] !== bucket) continue;
    if (state.tier !== "" && columns.tier[i] !== tier) continue;
    if (state.workflow !== "" && columns.right[i] !== workflow && firstOf(i) !== workflow) continue;
    if (state.pair !== "" && columns.right[i] + ">" + firstOf(i) !== state.pair) continue;
    if (holds(i, words)) rows.push(i);
  }
  rows.sort((a, b) => isWrongRoute(b) - isWrongRoute(a) || columns.confidence[b] - columns.confidence[a]);
  const total = rows.length;
  at("x-found").textContent = count(total) + " found, confident wrong routes first" + (total > shown.errors ? ", showing " + count(shown.errors) : "");
  at("x-story-home").append(at("x-story"));
  at("x-errors").replaceChildren(...rows.slice(0, shown.errors).map(errorRow));
  more("errors", total);
  story();
};
/** Puts the open request below its row, or above the table if the table does not show it. */
const placeStory = (i) => {
  document.getElementById("x-open")?.remove();
  const row = document.querySelector('#x-errors tr[data-request="' + i + '"]');
  if (row === null) { at("x-story-home").append(at("x-story")); return; }
  const open = document.createElement("tr"), cell = document.createElement("td");
  open.id = "x-open";
  cell.colSpan = 4;
  cell.append(at("x-story"));
  open.append(cell);
  row.after(open);
};
const story = () => {
  const i = view.ids.indexOf(state.id);
  at("x-story").hidden = i < 0;
  placeStory(i);
  if (i < 0) return;
  const threshold = view.thresholds[columns.tier[i]];
  const candidates = [0, 1, 2].map((k) => i * 3 + k).filter((k) => columns.candidateWorkflow[k] !== none)
    .map((k) => workflowName(columns.candidateWorkflow[k]) + " " + (k === i * 3 ? columns.confidence[i].toFixed(4) : formatOdds(columns.candidateOdds[k])));
  const lines = [["Request", view.ids[i]], ...(view.texts ? [["Text", view.texts[i]]] : []),
    ["Right workflow", workflowName(columns.right[i])], ["Candidates", candidates.join("; ") || "none"],
    ["Tier", tiers[columns.tier[i]] ?? "none"], ["Threshold", threshold === null ? "the tier abstains" : String(threshold ?? "none")],
    ...(view.listed ? [["Shortlist", listNote(i)]] : []),
    ["Reason", view.reasons[columns.reason[i]]], ["Outcome", errorNote(i)],
    ["Full explanation", "sluice eval explain " + view.ids[i] + " --run " + view.run]];
  at("x-story-lines").replaceChildren(...lines.map(([label, value]) => {
    const pair = document.createElement("div"), dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = label; dd.textContent = value;
    pair.append(dt, dd);
    return pair;
  }));
};
const scoped = () => { const k = tiers.indexOf(at("x-scope").value); return k < 0 ? [0, 1, 2, 3] : [k]; };
const controls = () => {
  const [first] = scoped().filter((k) => state.thresholds[k] !== null);
  const value = first === undefined ? 1 : state.thresholds[first];
  at("x-threshold").value = value;
  at("x-threshold-text").textContent = first === undefined ? "abstains" : String(value);
  const measured = 1 - columns.flags.reduce((sum, f) => sum + (f & 1), 0) / view.ids.length;
  at("x-share").value = state.share ?? measured;
  at("x-share-text").textContent = state.share === null ? measured.toFixed(2) + ", as in the data" : String(state.share);
  for (const key of ["tier", "bucket", "workflow", "pair", "flip"]) at("x-" + key).value = state[key];
};
const all = () => { controls(); answer(); errors(); };
at("x-search").addEventListener("input", () => { shown.errors = step; errors(); });
at("x-threshold").addEventListener("input", () => {
  for (const k of scoped()) state.thresholds[k] = Number(at("x-threshold").value);
  controls(); answer(); save();
});
at("x-share").addEventListener("input", () => { state.share = Number(at("x-share").value); controls(); answer(); save(); });
at("x-scope").addEventListener("change", controls);
at("x-reset").addEventListener("click", () => { state.thresholds = [...view.thresholds]; state.share = null; all(); save(); });
for (const key of ["tier", "bucket", "workflow", "pair"]) {
  at("x-" + key).addEventListener("change", () => { state[key] = at("x-" + key).value; shown.errors = step; errors(); save(); });
}
at("x-flip").addEventListener("change", () => { state.flip = at("x-flip").value; shown.changes = step; answer(); save(); });
at("x-more-changes").addEventListener("click", () => { shown.changes = Infinity; answer(); });
at("x-more-errors").addEventListener("click", () => { shown.errors = Infinity; errors(); });
addEventListener("hashchange", () => { if (location.hash.startsWith("#explore?")) { load(); all(); } });
load(); all();
at("explorer-controls").hidden = false;
if (location.hash.startsWith("#explore?")) at("explorer").scrollIntoView();
`;

/** The script of the explorer: the functions of `answer.ts`, and the code that connects them to the page. */
export const explorerScript = `"use strict";\n${computed.map(String).join("\n")}\nconst formatOdds = ${String(formatOdds)};\n${page}`;
