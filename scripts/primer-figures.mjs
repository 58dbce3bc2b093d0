// Draws the figures of docs/concepts/primer.md into docs/figures from the results of the demonstration.
// usage: node scripts/primer-figures.mjs WORKSPACE          reads the bundle of `sluice quickstart`, writes numbers and figures
//        node scripts/primer-figures.mjs --check            compares the figures with docs/figures/primer.json
//        node scripts/primer-figures.mjs --check WORKSPACE  also compares that file with the workspace
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Imports a compiled module of reports/. */
const compiled = (name) => import(new URL(`../dist/reports/${name}.js`, import.meta.url).href);
const { chartFiles } = await compiled("chart-file");
const { tierCurveSpec } = await compiled("charts/tier-curve");
const { chartConfig, colour } = await compiled("charts/theme");

const folder = join(fileURLToPath(new URL("..", import.meta.url)), "docs", "figures");
const numbersFile = join(folder, "primer.json");
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));
const grouped = (value) => value.toLocaleString("en-US");
const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)}%`;

/** Every number in the figures, from the documents of an exported bundle. */
function numbersOf(workspace) {
  const read = (name) => readJson(join(workspace, "bundle", name));
  const [evaluation, calibration] = [read("evidence/evaluation.json"), read("calibration.json")];
  const { folds, families } = read("evidence/split.json");
  const { files } = read("bundle.json");
  const [claim] = calibration.claims;
  const certifying = folds.tune.requests + folds.certify.requests;
  const { shortlist } = calibration;
  return {
    flow: {
      requests: evaluation.requests,
      workflows: Object.values(folds).reduce((sum, { workflows }) => sum + workflows, 0),
      candidates: read("policy.json").top_k,
      threshold: calibration.tiers.low.confidence,
      decisions: evaluation.decisions,
      wrong: evaluation.selective_risk.k,
    },
    release: {
      files: files.length,
      mebibytes: Math.round(files.reduce((sum, { size }) => sum + size, 0) / 2 ** 20),
      approvals: files.filter(({ path }) => path.startsWith("approvals/")).length,
    },
    certification: {
      requests: certifying,
      target: claim.target_risk,
      steps: claim.trace.map(({ confidence, routed, errors, upper_bound, passed }) => ({
        confidence,
        routed,
        errors,
        upper: upper_bound,
        passed,
      })),
    },
    folds: ["fit", "tune", "certify", "eval"].map((name) => {
      const { requests, workflows, out_of_scope, clusters } = folds[name];
      return { fold: name.toUpperCase(), requests, workflows, out_of_scope, groups: clusters.length - workflows };
    }),
    families: { families: families.length, requests: families.flat().length },
    shortlist: {
      in_scope: shortlist.requests,
      routed_right: claim.routed - claim.errors,
      listed_right: shortlist.requests - shortlist.missed,
      listed: shortlist.listed,
      out_of_scope: shortlist.out_of_scope,
      empty_out_of_scope: shortlist.out_of_scope_empty,
    },
  };
}

const width = 640;
const font = 13;

/**
 * Draws boxes and arrows. A box has x, y, w, lines (the first is bold) and tone; an arrow has from and to as [x, y].
 */
function diagram(height, boxes, arrows) {
  const x = { field: "x", type: "quantitative", axis: null, scale: { domain: [0, width], nice: false } };
  const y = { field: "y", type: "quantitative", axis: null, scale: { domain: [height, 0], nice: false } };
  const outlined = boxes.map((box) => ({ ...box, x2: box.x + box.w, y2: box.y + 14 + 18 * box.lines.length }));
  const texts = outlined.flatMap(({ x: left, y: top, lines }) =>
    lines.map((text, index) => ({ x: left + 10, y: top + 17 + 18 * index, text, bold: index === 0 })),
  );
  const text = (bold) => ({
    data: { values: texts.filter((line) => line.bold === bold) },
    mark: { type: "text", align: "left", fontSize: font, fontWeight: bold ? 600 : 400, color: colour.ink, limit: 0 },
    encoding: { x, y, text: { field: "text" } },
  });
  return {
    width,
    height,
    config: chartConfig,
    layer: [
      {
        data: { values: arrows.map(({ from, to }) => ({ x: from[0], y: from[1], x2: to[0], y2: to[1] })) },
        mark: { type: "rule", strokeWidth: 1.5, color: colour.muted },
        encoding: { x, y, x2: { field: "x2" }, y2: { field: "y2" } },
      },
      {
        data: {
          values: arrows.map(({ from, to }) => ({
            x: to[0],
            y: to[1],
            angle: (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI + 90,
          })),
        },
        mark: { type: "point", shape: "triangle-up", filled: true, size: 70, opacity: 1, color: colour.muted },
        encoding: { x, y, angle: { field: "angle", type: "quantitative", scale: null } },
      },
      ...["plain", "good", "poor"].map((tone) => ({
        data: { values: outlined.filter((box) => (box.tone ?? "plain") === tone) },
        mark: {
          type: "rect",
          cornerRadius: 4,
          fill: tone === "good" ? colour.band : colour.paper,
          stroke: tone === "poor" ? colour.target : tone === "good" ? colour.data : colour.muted,
          strokeWidth: 1.4,
        },
        encoding: { x, y, x2: { field: "x2" }, y2: { field: "y2" } },
      })),
      text(true),
      text(false),
    ],
  };
}

function flow({ flow: { requests, workflows, candidates, threshold, decisions, wrong } }) {
  const { ROUTE, CLARIFY, LLM_REQUIRED } = decisions;
  const spec = diagram(
    232,
    [
      { x: 0, y: 84, w: 112, lines: ["Request", `${requests} held out`] },
      { x: 146, y: 84, w: 120, lines: ["Candidates", `best ${candidates} of ${workflows}`] },
      { x: 300, y: 84, w: 116, lines: ["Confidence", `above ${threshold}?`] },
      {
        x: 466,
        y: 4,
        w: 170,
        lines: ["ROUTE", `${ROUTE} requests`, `${wrong} wrong (${percent(wrong, ROUTE)})`],
        tone: "good",
      },
      { x: 466, y: 96, w: 170, lines: ["CLARIFY", `${CLARIFY}: inputs are missing`] },
      { x: 466, y: 176, w: 170, lines: ["LLM_REQUIRED", `${LLM_REQUIRED} declined`], tone: "poor" },
    ],
    [
      { from: [112, 109], to: [141, 109] },
      { from: [266, 109], to: [295, 109] },
      { from: [416, 102], to: [461, 44] },
      { from: [416, 109], to: [461, 121] },
      { from: [416, 118], to: [461, 196] },
    ],
  );
  const alt =
    `A request gets candidates, then a confidence. Of ${requests} held-out requests ${ROUTE} are routed, ${wrong} of them ` +
    `wrongly; ${CLARIFY} are asked about missing inputs, and ${LLM_REQUIRED} are declined.`;
  return { id: "request-flow", alt, spec };
}

function release({ release: { files, mebibytes, approvals } }) {
  const spec = diagram(
    218,
    [
      { x: 0, y: 4, w: 176, lines: ["Producer", "builds, measures,", "signs the manifest"] },
      { x: 0, y: 84, w: 176, lines: ["First approver", "reads, then signs"] },
      { x: 0, y: 146, w: 176, lines: ["Second approver", "reads, then signs"] },
      {
        x: 240,
        y: 62,
        w: 170,
        lines: ["Bundle", `${files} files, ${mebibytes} MiB`, `${approvals} approvals`],
        tone: "good",
      },
      { x: 474, y: 62, w: 162, lines: ["Server", "verifies every byte,", "then routes"] },
      { x: 474, y: 152, w: 162, lines: ["Trust policy", "chosen by operator"] },
    ],
    [
      { from: [176, 38], to: [235, 76] },
      { from: [176, 109], to: [235, 100] },
      { from: [176, 171], to: [235, 124] },
      { from: [410, 96], to: [469, 96] },
      { from: [555, 152], to: [555, 136] },
    ],
  );
  const alt =
    `The producer signs a manifest and ${approvals} other people approve it. The bundle of ${files} files goes to a server, ` +
    "which verifies it with the trust policy of its operator before it routes.";
  return { id: "three-people", alt, spec };
}

function certification({ certification: { requests, target, steps } }) {
  const points = steps.map(({ routed, errors, upper }) => {
    return { coverage: routed / requests, risk: errors / routed, lower: errors / routed, upper };
  });
  const last = steps.findLastIndex(({ passed }) => passed);
  const failed = steps.findIndex(({ passed }) => !passed);
  const at = (index) => (index < 0 ? null : { coverage: points[index].coverage, risk: points[index].risk });
  const spec = tierCurveSpec({
    points,
    target,
    certifiedTo: points[last].coverage,
    operating: at(last),
    firstFailed: at(failed),
    riskMax: 0.14,
  });
  const { confidence, routed, errors } = steps[last];
  const alt =
    `Share of wrong routes against coverage. The last threshold that passes, ${confidence}, routes ${grouped(routed)} of ` +
    `${grouped(requests)} requests, ${errors} wrongly; the next one fails.`;
  return { id: "certified-part", alt, spec: { ...spec, width: 420, height: 230 } };
}

/**
 * Draws bars of two parts with a text on each row.
 * @param bars  row, kind, from, until; the first kind is the darker one
 * @param texts  row, until (where the text begins), text
 */
function stackedBars({ kinds, colours, bars, texts, title, domain, size, barHeight, bold = false }) {
  const y = { field: "row", type: "nominal", sort: null, title: null };
  const x = { type: "quantitative", title, scale: { domain, nice: false } };
  const color = { field: "kind", type: "nominal", title: null, scale: { domain: kinds, range: colours } };
  const weight = bold ? { fontWeight: 600 } : {};
  return {
    ...size,
    config: chartConfig,
    layer: [
      {
        data: { values: bars },
        mark: { type: "bar", height: barHeight, stroke: colour.data, strokeWidth: 1 },
        encoding: { x: { field: "from", ...x }, x2: { field: "until" }, y, color },
      },
      {
        data: { values: texts },
        mark: { type: "text", align: "left", dx: 6, fontSize: 12, ...weight, color: colour.ink, limit: 0 },
        encoding: { x: { field: "until", ...x }, y, text: { field: "text" } },
      },
    ],
  };
}

function foldFigure({ folds, families }) {
  const used = { FIT: "models learn", TUNE: "certifies", CERTIFY: "certifies", EVAL: "report only" };
  const kinds = ["in scope", "out of scope"];
  const spec = stackedBars({
    kinds,
    colours: [colour.data, colour.band],
    bars: folds.flatMap(({ fold: row, requests, out_of_scope }) => [
      { row, kind: kinds[0], from: 0, until: requests - out_of_scope },
      { row, kind: kinds[1], from: requests - out_of_scope, until: requests },
    ]),
    texts: folds.map(({ fold: row, requests, workflows, groups }) => {
      return { row, until: requests, text: `${used[row]}: ${workflows} workflows, ${groups} groups` };
    }),
    title: "Requests",
    domain: [0, 4000],
    size: { width: 470, height: { step: 40 } },
    barHeight: 20,
  });
  const listed = folds.map(({ fold, requests, workflows }) => `${fold} ${grouped(requests)} of ${workflows} workflows`);
  const alt =
    `Requests of each fold: ${listed.join(", ")}. ${families.families} families of ${grouped(families.requests)} requests ` +
    "stay whole: no workflow and no family is in two folds.";
  return { id: "folds", alt, spec };
}

function shortlistFigure({ shortlist }) {
  const { in_scope, routed_right, listed_right, listed } = shortlist;
  const kinds = ["right workflow named", "not named"];
  const rows = [
    { row: "Route alone", right: routed_right },
    { row: "Shortlist", right: listed_right },
  ];
  const spec = stackedBars({
    kinds,
    colours: [colour.band, colour.paper],
    bars: rows.flatMap(({ row, right }) => [
      { row, kind: kinds[0], from: 0, until: right },
      { row, kind: kinds[1], from: right, until: in_scope },
    ]),
    texts: rows.map(({ row, right }) => {
      return { row, until: 0, text: `${grouped(right)} of ${grouped(in_scope)} (${percent(right, in_scope)})` };
    }),
    title: "Requests in scope",
    domain: [0, in_scope],
    size: { width: 400, height: { step: 44 } },
    barHeight: 24,
    bold: true,
  });
  const alt =
    `Of ${grouped(in_scope)} requests in scope, routing alone names the right workflow for ${grouped(routed_right)}; a ` +
    `shortlist of ${(listed / in_scope).toFixed(1)} workflows on average contains it for ${grouped(listed_right)}.`;
  return { id: "shortlist", alt, spec };
}

async function figuresOf(numbers) {
  const drawn = [flow, release, certification, foldFigure, shortlistFigure].map((draw) => draw(numbers));
  const files = await chartFiles(drawn.map(({ id, alt, spec }) => ({ id, view: { alt }, spec })));
  return files.filter(({ name }) => name.endsWith(".svg"));
}

/** The text that a reader of an SVG sees or hears: its texts and its description. */
const wordsOf = (svg) => [...svg.matchAll(/<text[^>]*>([^<]*)<|aria-label="([^"]*)"/gu)].map(([, a, b]) => a ?? b);

/**
 * Paths at which two documents differ. Processors round the int8 encoder differently, which changes a few decisions:
 * numbers may differ by 5 or by 3%, and the steps of the certification by a few.
 */
function differences(expected, found, path = "") {
  if (typeof expected === "number")
    return Math.abs(expected - found) <= Math.max(expected < 1 ? 0.03 : 5, 0.03 * expected)
      ? []
      : [`${path}: ${found}`];
  if (expected === null || typeof expected !== "object") return expected === found ? [] : [`${path}: ${found}`];
  if (path.endsWith("/steps")) {
    const last = (steps) => steps.findLast(({ passed }) => passed);
    return differences(last(expected), last(found), `${path}/last passed`);
  }
  return Object.keys(expected).flatMap((key) => differences(expected[key], found?.[key], `${path}/${key}`));
}

const check = process.argv[2] === "--check";
const workspace = process.argv[check ? 3 : 2];
if (!check) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(numbersFile, `${JSON.stringify(numbersOf(workspace), null, 1)}\n`);
}
const numbers = readJson(numbersFile);
const faults = check && workspace !== undefined ? differences(numbers, numbersOf(workspace)) : [];
for (const { name, bytes } of await figuresOf(numbers)) {
  const path = join(folder, name);
  const svg = Buffer.from(bytes).toString("utf8");
  if (!check) writeFileSync(path, svg);
  else if (!existsSync(path) || String(wordsOf(readFileSync(path, "utf8"))) !== String(wordsOf(svg))) faults.push(name);
}
for (const fault of faults) process.stdout.write(`docs/figures differs: ${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
