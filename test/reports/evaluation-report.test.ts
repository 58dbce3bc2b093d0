import { evaluationBlocks } from "../../reports/evaluation-blocks.js";
import { renderHtml } from "../../reports/render-html.js";
import { renderMarkdown } from "../../reports/render-markdown.js";
import { buildReportModel, type ReportInput } from "../../reports/view-model.js";
import { assert, test } from "../support/test.js";
import { aCalibration, aCatalogOfNames, aLineage, anEvaluation, aReportInput } from "./an-evaluation.js";

const page = (overrides: Partial<ReportInput> = {}) =>
  renderHtml(evaluationBlocks(buildReportModel(aReportInput(overrides))));

/** The words of a page: no style, no markup, one space between them. */
function textOf(html: string): string {
  return html
    .replace(/<style>[\s\S]*?<\/style>/g, " ")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");
}

const html = await page();
const text = textOf(html);

test("the page has its parts in reading order", () => {
  const titles = [...html.matchAll(/<h2 [^>]*>([^<]+)<\/h2>/g)].map((match) => match[1]);
  assert.equal(titles, [
    "What is promised",
    "Thresholds, risk and coverage",
    "Where requests end",
    "Each tier",
    "All rates",
    "Compared with other systems",
    "Decisions and reasons",
    "Out of scope",
    "Calibration quality",
    "Evidence",
    "How to read this page",
  ]);
  assert.is(html.match(/<h1>/g)?.length, 1);
});

test("the page shows the counts of the evaluation", () => {
  const { selective_risk, coverage, tiers } = anEvaluation();
  const shown = (k: number, n: number) => `${k.toLocaleString("en-US")}/${n.toLocaleString("en-US")} = `;
  for (const rate of [selective_risk, coverage, ...tiers.map((t) => t.routed)]) {
    assert.ok(text.includes(shown(rate.k, rate.n)), shown(rate.k, rate.n));
  }
});

test("every tier has a verdict in words and the abstaining one its reason", () => {
  const verdicts = [...html.matchAll(/<h3 id="tier-(\w+)">[\s\S]*?<\/h3>/g)].map((match) => [
    match[1],
    / (pass|fail|NOT SHOWN|abstains)\s*$/.exec(textOf(match[0]))?.[1],
  ]);
  assert.equal(verdicts, [
    ["low", "NOT SHOWN"],
    ["medium", "pass"],
    ["high", "pass"],
    ["critical", "abstains"],
  ]);
  assert.ok(text.includes("No text is routed in tier critical: 217 independent routed requests are needed"));
});

test("every rate has its counts, and an interval or the limit of the claim", () => {
  const values = text.match(/\S+ = \d+\.\d\d%/g) ?? [];
  assert.ok(values.length > 60, String(values.length));
  const whole = text.match(/[\d,]+\/[\d,]+ = \d+\.\d\d%(?: \[\d+\.\d\d%, \d+\.\d\d%\]|, limit \d+\.\d\d%)/g) ?? [];
  assert.is(whole.length, values.length);
});

test("every line of rates has counts, an interval and its clusters, or says no data", () => {
  const model = buildReportModel(aReportInput());
  const lines = [...model.measured, ...model.retrieval, ...model.tiers.flatMap((tier) => tier.rates)];
  assert.is(lines.length, 18);
  for (const line of lines) {
    if (line.text === "0/0: no data") continue;
    assert.match(line.text, /^[\d,]+\/[\d,]+ = \d+\.\d\d% \[\d+\.\d\d%, \d+\.\d\d%\]$/);
    assert.match(line.basis, /^\d+ clusters?; 95% interval for /);
  }
});

test("the same input gives the same bytes", async () => {
  assert.is(await page(), html);
});

test("names and texts of the user are escaped everywhere", async () => {
  const nasty = '<script>alert("x")</script>';
  const calibration = aCalibration({ population: nasty, calibration_version: nasty, warnings: [nasty] });
  const catalog = {
    catalog_version: nasty,
    workflows: aCatalogOfNames.workflows.map((workflow) => ({ ...workflow, name: nasty })),
  };
  const evaluation = anEvaluation(300, { reasons: [{ reason_code: nasty, count: 1 }] });
  const rendered = await page({ calibration, catalog, evaluation, generatedFor: nasty });
  assert.not.match(rendered, "<script");
  assert.ok(rendered.split("&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;").length > 8);
  assert.not.match(
    renderMarkdown(evaluationBlocks(buildReportModel(aReportInput({ calibration, catalog })))),
    /(?<!\\)<script/,
  );
});

test("an empty evaluation says that there is no data, and shows no rate", async () => {
  const empty = textOf(await page({ evaluation: anEvaluation(0), calibration: null }));
  assert.match(empty, "There is no data: the evaluation contains no requests.");
  assert.match(empty, "0/0: no data");
  assert.match(empty, "No data: there is nothing to draw.");
  assert.not.match(empty.slice(0, empty.indexOf("How to read this page")), /NaN|null|undefined|= \d+\.\d\d%/);
});

test("the page needs nothing from outside", () => {
  assert.not.match(html, /<script|<link rel="stylesheet"|@import|url\(["']?http|\ssrc=/);
});

test("no date appears unless it was passed in", async () => {
  const date = /\b20\d\d-\d\d-\d\d\b/;
  assert.not.match(html, date);
  assert.match(await page({ generatedFor: "Approvers, 2026-11-20" }), date);
});

test("numbers of folds other than EVAL carry a warning and are not called unseen", async () => {
  const certify = textOf(await page({ evaluation: anEvaluation(600, { fold: "certify" }) }));
  assert.match(certify, "These figures come from fold CERTIFY, not from EVAL");
  assert.not.match(certify, "on unseen workflows");
});

test("a claim that was tested by a cross-fit says why its count differs from the rates on the same requests", async () => {
  const claims = aCalibration()
    .claims.slice(0, 1)
    .map((claim) => ({ ...claim, scope: "overall" as const }));
  const calibration = aCalibration({ cross_fit: { parts: 8, by: "request" }, claims });
  const counted = /The claim counts \d+ wrong of \d+ routed; as decided now, it is \d+ of \d+/;
  assert.match(textOf(await page({ calibration, evaluation: anEvaluation(600, { fold: "certify" }) })), counted);
  assert.not.match(textOf(await page({ calibration })), counted);
});

test("records that do not belong together are named", async () => {
  const mixed = textOf(await page({ lineage: { ...aLineage, run: "f".repeat(64) } }));
  assert.match(mixed, "Run: its digest differs from the one in the evaluation.");
  assert.match(mixed, "DIFFERS from the digest in the evaluation");
  assert.not.match(text, "DIFFERS");
});

test("thresholds that differ between evaluation and calibration are named", async () => {
  const calibration = aCalibration();
  const low = { ...calibration.tiers.low, confidence: 0.5 };
  const other = textOf(await page({ calibration: { ...calibration, tiers: { ...calibration.tiers, low } } }));
  assert.match(other, "Tier low: the thresholds of the evaluation differ from those of the calibration.");
  assert.not.match(text, "differ from those of the calibration");
});

test("a missed target decides the headline", async () => {
  const calibration = aCalibration();
  const claims = calibration.claims.map((claim) =>
    claim.scope === "medium" ? { ...claim, target_risk: 0.001 } : claim,
  );
  const failed = textOf(await page({ calibration: { ...calibration, claims } }));
  assert.match(failed, "Held-out requests contradict at least one claim.");
});

test("without a calibration nothing is promised", async () => {
  const evaluation = anEvaluation(600, { calibration_sha256: null, tiers: [] });
  const bare = textOf(await page({ evaluation, calibration: null }));
  assert.match(bare, "Nothing is promised: no calibration was used.");
  assert.match(bare, "No calibration was given.");
});

test("the Markdown page shows the same rates and verdicts as the HTML page", () => {
  const markdown = renderMarkdown(evaluationBlocks(buildReportModel(aReportInput())));
  const rates = (source: string) => new Set(source.match(/[\d,]+\/[\d,]+ = [\d.]+% \[[\d.]+%, [\d.]+%\]/g));
  const shown = rates(text);
  assert.equal(rates(markdown), shown);
  assert.ok(markdown.includes("### Tier low: NOT SHOWN") && markdown.includes("### Tier critical: abstains"));
});

test("names cannot break a Markdown table or make a link", () => {
  const name = "a | b [x](http://evil.example)";
  const catalog = {
    catalog_version: name,
    workflows: aCatalogOfNames.workflows.map((workflow) => ({ ...workflow, name })),
  };
  const markdown = renderMarkdown(evaluationBlocks(buildReportModel(aReportInput({ catalog }))));
  assert.match(markdown, "a \\| b [x\\](http://evil.example)");
  assert.not.match(markdown, "[x](");
});
