import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type AuditFinding, auditDataset } from "../../datasets/audit.js";
import type { AuditCheck } from "../../datasets/audit.js";
import { datasetOf } from "../../datasets/dataset-bytes.js";
import { splitByWorkflow } from "../../datasets/split-by-workflow.js";
import type { LabelledRequest } from "../../src/domain/dataset.js";
import { aCatalog, aRequest, aSplittableDataset, aWorkflow } from "../support/score-cases.js";

const test = suite("datasets/audit");
const sound = aSplittableDataset({ workflowsPerTier: 4, requests: 8, outOfScope: 20 });

function finding(rows: readonly LabelledRequest[], check: AuditCheck): AuditFinding | undefined {
  return auditDataset({ rows }).findings.find((f) => f.check === check);
}

test("passes a sound data set in every check", () => {
  const split = splitByWorkflow({ dataset: datasetOf(sound.rows), catalog: sound.catalog, seed: 1 });
  const audit = auditDataset({ ...sound, split });
  assert.is(audit.findings.length, 10);
  assert.equal(
    audit.findings.filter((f) => !f.passed),
    [],
  );
  assert.is(audit.passed, true);
});

test("leaves out the checks whose input is missing", () => {
  const checks = auditDataset({ rows: sound.rows }).findings.map((f) => f.check);
  assert.equal(checks, [
    "exact_duplicate",
    "label_conflict",
    "near_duplicate",
    "small_workflow",
    "out_of_scope_share",
    "personal_data",
  ]);
});

test("finds the later rows of exact duplicates", () => {
  const rows = [aRequest({ id: "a" }), aRequest({ id: "b" }), aRequest({ id: "c", text: "Where is my order" })];
  const found = finding(rows, "exact_duplicate");
  assert.equal(found?.examples, ["b"]);
  assert.is(found?.passed, false);
});

test("an accepted finding passes and says so; what is within its limit is not called accepted", () => {
  const rows = [aRequest({ id: "a", text: "mail me at jo@example.com" }), aRequest({ id: "b", workflowId: null })];
  const audit = auditDataset({ rows, accepted: ["personal_data", "label_conflict", "small_workflow"] });
  const accepted = audit.findings.filter((f) => f.accepted);
  assert.equal(
    accepted.map(({ check, count, passed }) => [check, count, passed]),
    [
      ["small_workflow", 1, true],
      ["personal_data", 1, true],
    ],
  );
  assert.is(audit.passed, true);
  assert.is(auditDataset({ rows }).passed, false);
});

test("near-duplicates pass up to two in a hundred rows, or up to the share that the caller names", () => {
  const text = "where is the parcel that I ordered last week from your shop";
  const rows = [aRequest({ id: "a", text }), aRequest({ id: "b", text: `${text}!` }), aRequest({ id: "c" })];
  const verdict = (maxNearDuplicates?: number): boolean | undefined =>
    auditDataset({ rows, ...(maxNearDuplicates === undefined ? {} : { maxNearDuplicates }) }).findings.find(
      (f) => f.check === "near_duplicate",
    )?.passed;
  assert.equal([verdict(), verdict(0.3), verdict(0.34)], [false, false, true]);
});

test("finds one text with two labels, and none when the allowed workflows differ", () => {
  const text = "stop it";
  const a = aRequest({ id: "a", text, workflowId: "orders.cancel" });
  const b = aRequest({ id: "b", text: "Stop it!", workflowId: null });
  assert.equal(finding([a, b, aRequest({ id: "c" })], "label_conflict")?.examples, ["a", "b"]);
  assert.is(finding([a, { ...b, allowedWorkflowIds: ["orders.find"] }], "label_conflict")?.count, 0);
});

test("finds near-duplicates, workflows with few requests and personal data", () => {
  const rows = [
    aRequest({ id: "a", text: "mail me at jo@example.com when it is here" }),
    aRequest({ id: "b", text: "Mail me at jo@example.com, when it is here!" }),
  ];
  assert.equal(finding(rows, "near_duplicate")?.examples, ["b"]);
  assert.equal(finding(rows, "small_workflow")?.examples, ["orders.find"]);
  assert.equal(finding(rows, "personal_data")?.examples, ["a", "b"]);
});

test("wants between 5 and 60 percent out of scope", () => {
  const share = (outOfScope: number) => {
    const rows = Array.from({ length: 100 }, (_, i) =>
      aRequest({ id: `${i}`, text: `text${i}`, workflowId: i < outOfScope ? null : "orders.find" }),
    );
    return finding(rows, "out_of_scope_share")?.passed;
  };
  assert.equal([4, 5, 60, 61].map(share), [false, true, true, false]);
});

test("finds near-duplicates across folds and rows outside the split", () => {
  const split = splitByWorkflow({ dataset: datasetOf(sound.rows), catalog: sound.catalog, seed: 1 });
  const [fit, held] = [split.folds.fit.clusters, split.folds.eval.clusters].map(
    (clusters) => sound.rows.find((row) => clusters.includes(`workflow:${row.workflowId}`)) ?? aRequest(),
  );
  const leak = aRequest({ id: "leak", text: fit?.text ?? "", workflowId: held?.workflowId ?? null });
  const outside = aRequest({ id: "outside", text: "nobody knows", workflowId: "low.new" });
  const findings = auditDataset({ rows: [...sound.rows, leak, outside], split }).findings;
  assert.equal(findings.find((f) => f.check === "fold_leakage")?.examples, ["leak"]);
  assert.equal(findings.find((f) => f.check === "outside_split")?.examples, ["outside"]);
});

test("finds requests that are catalog examples and workflows that the catalog lacks", () => {
  const catalog = aCatalog([aWorkflow({ examples: ["Where is my ORDER?"] })]);
  const rows = [aRequest({ id: "a" }), aRequest({ id: "b", text: "other", workflowId: "orders.cancel" })];
  const findings = auditDataset({ rows, catalog }).findings;
  assert.equal(findings.find((f) => f.check === "catalog_example")?.examples, ["a"]);
  assert.equal(findings.find((f) => f.check === "unknown_workflow")?.examples, ["orders.cancel"]);
});

test("never holds a text", () => {
  const rows = [
    aRequest({ id: "a", text: "secret jo@example.com" }),
    aRequest({ id: "b", text: "secret jo@example.com" }),
  ];
  assert.not.match(JSON.stringify(auditDataset({ rows })), /secret/);
});

test.run();
