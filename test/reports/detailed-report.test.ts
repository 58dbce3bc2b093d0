/** The report of an evaluation with every number: the newer metrics, losses by stage and populations. */
import type { Sha256 } from "../../src/base/sha256.js";
import { evaluationBlocks } from "../../reports/evaluation-blocks.js";
import { renderHtml } from "../../reports/render-html.js";
import { renderMarkdown } from "../../reports/render-markdown.js";
import { evaluateRecords } from "../../eval/metrics/evaluate.js";
import { formatRate } from "../../src/documents/number-text.js";
import { buildReportModel } from "../../reports/view-model.js";
import { syntheticRecords } from "../calibrate/synthetic-records.js";
import { assert, test } from "../support/test.js";
import { anAcceptingCalibration } from "../support/builders.js";
import { aReportInput } from "./an-evaluation.js";

const measured = evaluateRecords({
  records: syntheticRecords({
    seed: 2,
    folds: ["eval"],
    workflows: 20,
    requestsPerWorkflow: 10,
    outOfScopeGroups: 10,
    requestsPerGroup: 5,
    candidates: 3,
    difficulty: 0.2,
  }),
  fold: "eval",
  runSha256: "a".repeat(64) as Sha256,
  topK: 3,
  calibration: { sha256: "c".repeat(64) as Sha256, document: anAcceptingCalibration() },
  resamples: 50,
});
const model = buildReportModel(aReportInput({ evaluation: measured }));
const pages = { html: await renderHtml(evaluationBlocks(model)), markdown: renderMarkdown(evaluationBlocks(model)) };
const textOf = (page: string): string => page.replace(/<[^>]+>|\\/g, " ").replace(/\s+/g, " ");

for (const [form, page] of Object.entries(pages)) {
  const text = textOf(page);
  test(`${form}: the newer metrics are shown with their bands`, () => {
    for (const name of ["AUGRC", "Log loss", "FPR@95", "Missing-input recall"]) {
      assert.ok(text.includes(name), name);
    }
    assert.match(text, /AUGRC ↓ \W*0\.\d{4} \(n = 250\) \[0\.\d{4}, 0\.\d{4}\]/);
  });

  test(`${form}: the stages at which requests end add up, and each perfect stage has its rates`, () => {
    const { attribution } = measured.detail;
    assert.ok(attribution !== null && attribution.rows.length > 0);
    assert.is(
      attribution?.rows.reduce((sum, { requests }) => sum + requests, 0),
      250,
    );
    for (const { bucket, requests } of attribution?.rows ?? []) {
      if (requests > 0) assert.ok(text.includes(bucket.replaceAll("_", " ")), bucket);
    }
    for (const { in_scope_right } of attribution?.counterfactuals ?? [])
      assert.ok(text.includes(formatRate(in_scope_right)));
  });

  test(`${form}: populations stand apart`, () => {
    assert.match(text, /In scope, workflow not in FIT \W*200/);
    assert.match(text, /Out of scope, far from the catalog \W*50/);
  });
}

test("an evaluation without detail says what it lacks", () => {
  const older = renderMarkdown(evaluationBlocks(buildReportModel(aReportInput())));
  assert.match(older, "No data: without thresholds no request is decided.");
  assert.match(older, "By population: no data.");
});
