import { auditRequests } from "../../../datasets/audit/audit-dataset.js";
import { findingText } from "../../../datasets/audit/audit-document.js";
import type { AuditFinding } from "../../../datasets/audit/finding.js";
import { datasetOf } from "../../../datasets/dataset-bytes.js";
import { splitByWorkflow } from "../../../datasets/split-by-workflow.js";
import { type AuditCheck, auditChecks } from "../../../src/documents/choices.js";
import type { LabelledRequest } from "../../../src/documents/dataset.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { assert, pluck, test } from "../../support/test.js";
import { aCatalog, aRequest, aSplittableDataset, aWorkflow } from "../../support/score-cases.js";

const sound = aSplittableDataset({ workflowsPerTier: 4, requests: 8, outOfScope: 20 });

function finding(rows: readonly LabelledRequest[], check: AuditCheck): AuditFinding | undefined {
  return auditRequests({ rows }).findings.find((f) => f.check === check);
}

/** Ids and note of each example as one text. */
const examplesOf = (found: AuditFinding | undefined): readonly string[] =>
  (found?.examples ?? []).map(({ ids, note }) => [...ids, note].filter((part) => part !== "").join(" | "));

test("passes a sound dataset in every check", () => {
  const split = splitByWorkflow({ dataset: datasetOf(sound.rows), catalog: sound.catalog, seed: 1 });
  const audit = auditRequests({ ...sound, split });
  assert.equal(pluck(audit.findings, "check"), [...auditChecks]);
  assert.equal(
    audit.findings.filter((f) => !f.passed),
    [],
  );
  assert.is(audit.passed, true);
});

test("leaves out the checks whose input is missing", () => {
  const checks = auditRequests({ rows: sound.rows }).findings.map((f) => f.check);
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
  assert.equal(examplesOf(found), ["b | a"]);
  assert.is(found?.passed, false);
});

test("near-duplicates pass up to two in a hundred rows, or up to the share that the caller names", () => {
  const text = "where is the parcel that I ordered last week from your shop";
  const rows = [aRequest({ id: "a", text }), aRequest({ id: "b", text: `${text}!` }), aRequest({ id: "c" })];
  const verdict = (maxNearDuplicates?: number): boolean | undefined =>
    auditRequests({ rows, ...(maxNearDuplicates === undefined ? {} : { maxNearDuplicates }) }).findings.find(
      (f) => f.check === "near_duplicate",
    )?.passed;
  assert.equal([verdict(), verdict(0.3), verdict(0.34)], [false, false, true]);
});

test("finds one text with two labels, and none when the allowed workflows differ", () => {
  const text = "stop it";
  const a = aRequest({ id: "a", text, workflow_id: "orders.cancel" });
  const b = aRequest({ id: "b", text: "Stop it!", workflow_id: null });
  const found = examplesOf(finding([a, b, aRequest({ id: "c" })], "label_conflict"));
  assert.equal(found, ["a | b | 1 orders.cancel, 1 out of scope"]);
  assert.is(finding([a, { ...b, allowed_workflow_ids: ["orders.find"] }], "label_conflict")?.count, 0);
});

test("counts the copies of a text with each label, and an example that is also a row once", () => {
  const text = "my permit shows the wrong council tax band for the house in Kings Avenue";
  const rows = [
    aRequest({ id: "a", text, workflow_id: "orders.cancel" }),
    aRequest({ id: "b", text: `Hello, ${text}`, workflow_id: "orders.find" }),
    aRequest({ id: "c", text: `${text}!!`, workflow_id: "orders.find" }),
  ];
  const catalog = aCatalog([aWorkflow({ workflow_id: "orders.cancel", examples: [text] })]);
  const found = auditRequests({ rows, catalog }).findings.find(({ check }) => check === "label_conflict");
  assert.is(found?.count, 3);
  assert.equal(found?.examples, [
    {
      ids: ["b", "c", "a"],
      note: "2 orders.find, 1 orders.cancel",
      sides: [
        { label: "orders.find", rows: ["b", "c"], texts: 2 },
        { label: "orders.cancel", rows: ["a"], texts: 1 },
      ],
    },
  ]);
});

test("finds near-duplicates, workflows with few requests and personal data", () => {
  const rows = [
    aRequest({ id: "a", text: "mail me at jo@example.com when it is here" }),
    aRequest({ id: "b", text: "Mail me at jo@example.com, when it is here!" }),
  ];
  assert.equal(examplesOf(finding(rows, "near_duplicate")), ["b | a"]);
  assert.equal(examplesOf(finding(rows, "small_workflow")), ["orders.find | 2 requests"]);
  assert.equal(examplesOf(finding(rows, "personal_data")), ["a | email", "b | email"]);
});

test("wants between 5 and 60 percent out of scope", () => {
  const share = (outOfScope: number) => {
    const rows = Array.from({ length: 100 }, (_, i) =>
      aRequest({ id: `${i}`, text: `text${i}`, workflow_id: i < outOfScope ? null : "orders.find" }),
    );
    return finding(rows, "out_of_scope_share")?.passed;
  };
  assert.equal([4, 5, 60, 61].map(share), [false, true, true, false]);
});

test("finds near-duplicates across folds and rows outside the split", () => {
  const split = splitByWorkflow({ dataset: datasetOf(sound.rows), catalog: sound.catalog, seed: 1 });
  const [fit, held] = [split.folds.fit.clusters, split.folds.eval.clusters].map(
    (clusters) => sound.rows.find((row) => clusters.includes(`workflow:${row.workflow_id}`)) ?? aRequest(),
  );
  const leak = aRequest({ id: "leak", text: fit?.text ?? "", workflow_id: held?.workflow_id ?? null });
  const outside = aRequest({ id: "outside", text: "nobody knows", workflow_id: "low.new" });
  const findings = auditRequests({ rows: [...sound.rows, leak, outside], split }).findings;
  const found = (check: AuditCheck) => examplesOf(findings.find((f) => f.check === check));
  assert.equal(found("fold_leakage"), [`leak | ${fit?.id} | eval, fit`]);
  assert.equal(found("exact_fold_leakage"), found("fold_leakage"));
  assert.equal(found("outside_split"), ["outside"]);
});

test("finds requests that are catalog examples and workflows that the catalog lacks", () => {
  const catalog = aCatalog([aWorkflow({ examples: ["Where is my ORDER?"] })]);
  const rows = [aRequest({ id: "a" }), aRequest({ id: "b", text: "other", workflow_id: "orders.cancel" })];
  const findings = auditRequests({ rows, catalog }).findings;
  assert.equal(examplesOf(findings.find((f) => f.check === "catalog_example")), ["a | orders.find"]);
  assert.equal(examplesOf(findings.find((f) => f.check === "unknown_workflow")), ["orders.cancel | 1 request"]);
});

test("held-out requests without a near-copy among the examples are no finding, wherever they stand in the data", () => {
  const workflow = aWorkflow({ examples: Array.from({ length: 60 }, (_, i) => `example${i} alpha${i} beta${i}`) });
  const catalog = aCatalog([workflow]);
  const row = (id: string, text: string) => aRequest({ id, text, workflow_id: workflow.workflow_id });
  const free = Array.from({ length: 60 }, (_, i) => row(`free${i}`, `request${i} gamma${i} delta${i}`));
  const taught = workflow.examples.map((text, i) => row(`taught${i}`, text));
  const rows = [...taught, ...free];
  const split = splitByWorkflow({
    dataset: datasetOf(rows),
    catalog,
    seed: 1,
    by: "left-out",
    fractions: { fit: 0, tune: 0, certify: 0.5, eval: 0.5 },
  });
  const held = split.folds.eval.requests;
  assert.ok(held > 10 && held < 60);
  const found = (asked: typeof split) =>
    auditRequests({ rows, catalog, split: asked }).findings.find(({ check }) => check === "example_family");
  assert.equal([found(split)?.count, found(split)?.passed], [0, true]);
  const { certify, eval: evaluated, ...others } = split.folds;
  const moved = certify.clusters.find((cluster) => cluster.startsWith("row:taught")) ?? "";
  const leaking = {
    ...split,
    folds: {
      ...others,
      certify: { ...certify, clusters: certify.clusters.filter((cluster) => cluster !== moved) },
      eval: { ...evaluated, clusters: [...evaluated.clusters, moved] },
    },
  };
  assert.equal([found(leaking)?.count, found(leaking)?.share], [1, 1 / (held + 1)]);
});

test("a finding about a share states the share and what is usual, any other its count", () => {
  const of = (check: AuditCheck, count: number, share: number, limit: AuditFinding["limit"]) =>
    findingText({ check, count, share, limit, passed: false });
  const usual = { from: 0.05, to: 0.6 };
  assert.equal(
    [
      of("out_of_scope_share", 22, 0.037, usual),
      of("out_of_scope_share", 70, 0.7, usual),
      of("example_family", 95, 95 / 129, 0.05),
      of("near_duplicate", 61, 61 / 900, 0.02),
      of("fold_leakage", 2, 2 / 900, 0),
    ],
    [
      "few out-of-scope requests: 3.7% (5% to 60% is usual)",
      "many out-of-scope requests: 70.0% (5% to 60% is usual)",
      "95 of 129 tested requests are near-copies of catalog examples, so they are easier than new ones",
      "near-duplicate requests: 6.8% (at most 2% is usual)",
      "near-copies in different folds: 2",
    ],
  );
});

test("workflows that the split took out of the catalog are not unknown", () => {
  const split = splitByWorkflow({ dataset: datasetOf(sound.rows), catalog: sound.catalog, seed: 1 });
  const workflows = sound.catalog.workflows.filter((workflow) => workflow.workflow_id !== "low.0");
  const unknown = (more: object) =>
    auditRequests({
      rows: sound.rows,
      catalog: { ...sound.catalog, workflows },
      split: { ...split, ...more },
    }).findings.find((f) => f.check === "unknown_workflow");
  assert.is(unknown({})?.count, 1);
  assert.is(unknown({ removed: { from_catalog_sha256: sound.catalog.sha256, workflows: ["low.0"] } })?.count, 0);
});

test("is linear in the rows: 40,000 in seconds, even when many share one text", () => {
  const random = seededRandom(3);
  const words = Array.from({ length: 4000 }, (_, i) => `word${i}`);
  const rows = Array.from({ length: 40_000 }, (_, i) => {
    const length = random.integer(6, 14);
    const text = Array.from({ length }, () => words[random.integer(0, 3999)]).join(" ");
    return aRequest({ id: `${i}`, text: i % 10 === 0 ? "the very same text" : text, workflow_id: `low.${i % 100}` });
  });
  const before = process.cpuUsage();
  const found = auditRequests({ rows }).findings;
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  assert.is(found.find((f) => f.check === "exact_duplicate")?.count, 3_999);
  assert.is(found.find((f) => f.check === "near_duplicate")?.count, 3_999);
  assert.ok(seconds < 20, `${seconds} s of the processor`);
});

test("never holds a text", () => {
  const rows = [
    aRequest({ id: "a", text: "secret jo@example.com" }),
    aRequest({ id: "b", text: "secret jo@example.com" }),
  ];
  assert.not.match(JSON.stringify(auditRequests({ rows })), /secret/);
});
