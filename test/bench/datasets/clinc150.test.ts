import { readFileSync } from "node:fs";
import { auditRequests } from "../../../datasets/audit/audit-dataset.js";
import { datasetOf } from "../../../datasets/dataset-bytes.js";
import { importClinc150 } from "../../../bench/datasets/clinc150.js";
import { normaliseText } from "../../../datasets/near-duplicates.js";
import { riskTiers } from "../../../src/documents/choices.js";
import { assert, shared, test, testWithShared, throws } from "../../support/test.js";

const pairs = (intent: string, words: readonly string[]) => words.map((word) => [`${word} about ${intent}`, intent]);
const small = {
  train: [...pairs("w2", ["one", "two", "three"]), ...pairs("pay_bill", ["one", "two", "three"])],
  val: [["ONE about w2!", "w2"]],
  test: pairs("pay_bill", ["four", "five"]),
  oos_train: [["unrelated", "oos"]],
  oos_val: [],
  oos_test: [["unrelated too", "oos"]],
};
const load = (value: unknown) => ({ file: "data_full.json", bytes: Buffer.from(JSON.stringify(value)) });

test("stores the part, labels out-of-scope rows null and names workflows after intents", () => {
  const { rows, catalog } = importClinc150(load(small), { examplesPerWorkflow: 0 });
  assert.equal(rows[0], {
    id: "clinc150-train-0",
    text: "one about w2",
    workflow_id: "workflow_w2",
    group_id: null,
    slices: { part: "train" },
  });
  assert.equal(rows.at(-1), {
    id: "clinc150-oos_test-0",
    text: "unrelated too",
    workflow_id: null,
    group_id: null,
    slices: { part: "test" },
  });
  assert.is(rows.length, 11);
  assert.equal(
    catalog?.workflows.map((w) => [w.workflow_id, w.name, w.description, w.risk_tier]),
    [
      ["pay_bill", "pay bill", "Workflow for pay bill.", "low"],
      ["workflow_w2", "workflow w2", "Workflow for w2.", "medium"],
    ],
  );
});

test("takes examples from train and leaves out every row with the text of one", () => {
  const { rows, catalog } = importClinc150(load(small), { examplesPerWorkflow: 3 });
  assert.equal(
    catalog?.workflows.map((w) => w.examples?.length),
    [3, 3],
  );
  assert.equal(
    rows.map((row) => row.id),
    ["clinc150-test-0", "clinc150-test-1", "clinc150-oos_train-0", "clinc150-oos_test-0"],
  );
});

test("limits the rows of each workflow and of what is out of scope", () => {
  const { rows } = importClinc150(load(small), { examplesPerWorkflow: 0, maxRowsPerWorkflow: 2, maxOutOfScopeRows: 1 });
  const labels = rows.map((row) => row.workflow_id ?? "out of scope").sort();
  assert.equal(labels, ["out of scope", "pay_bill", "pay_bill", "workflow_w2", "workflow_w2"]);
});

test("domains become a slice of the rows of their intents", () => {
  const domains = { file: "domains.json", bytes: Buffer.from('{"money": ["pay bill"], "Work Life": ["w2"]}') };
  const { rows, sources } = importClinc150(load(small), { examplesPerWorkflow: 0, domains });
  const domainsOf = (workflowId: string | null) =>
    new Set(rows.filter((row) => row.workflow_id === workflowId).map((row) => row.slices?.["domain"]));
  assert.equal(
    ["pay_bill", "workflow_w2", null].map((id) => [...domainsOf(id)]),
    [["money"], ["work_life"], [undefined]],
  );
  assert.is(sources.length, 2);
  const broken = { file: "domains.json", bytes: Buffer.from('{"money": 3}') };
  throws(() => importClinc150(load(small), { domains: broken }), "DOCUMENT_INVALID");
});

test("names list, row and column of a malformed entry", () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ ...small, val: undefined }, /: val: found nothing, expected a list/],
    [{ ...small, train: [["a text"]] }, /: train row 0: found a list, expected \[text, intent\]/],
    [
      {
        ...small,
        test: [
          ["fine", "pay_bill"],
          [" ", "pay_bill"],
        ],
      },
      /: test row 1 column 0/,
    ],
    [{ ...small, test: [["fine", 3]] }, /: test row 0 column 1/],
    [[], /expected an object of lists/],
  ];
  for (const [value, message] of cases) {
    assert.match(throws(() => importClinc150(load(value)), "DOCUMENT_INVALID").message, message);
  }
  const broken = { file: "data_full.json", bytes: Buffer.from("{") };
  throws(() => importClinc150(broken), "DOCUMENT_INVALID");
  const empty = { train: [], val: [], test: [], oos_train: [], oos_val: [], oos_test: [] };
  throws(() => importClinc150(load(empty)), "DOCUMENT_INVALID");
});

testWithShared(test, "imports the published file: 150 workflows, ten examples each, no example among the rows", () => {
  const file = shared("data", "clinc150", "raw", "data_full.json");
  const source = { file, bytes: readFileSync(file) };
  const all = importClinc150(source, { examplesPerWorkflow: 0 });
  assert.is(all.rows.length, 23_700);
  assert.is(all.rows.filter((row) => row.workflow_id === null).length, 1200);
  assert.is(all.sources[0]?.sha256, "36923c3705a59e08fe9c3883d8bc2dd966ef93e22cb78ac41171782a698d56e0");

  const { rows, catalog } = importClinc150(source, { seed: 4 });
  assert.is(catalog?.workflows.length, 150);
  assert.ok(catalog?.workflows.every((workflow) => workflow.examples?.length === 10));
  const tierCounts = riskTiers.map((tier) => catalog?.workflows.filter((w) => w.risk_tier === tier).length);
  assert.equal(tierCounts, [38, 38, 37, 37]);
  const examples = new Set(catalog?.workflows.flatMap((workflow) => (workflow.examples ?? []).map(normaliseText)));
  assert.not.ok(rows.some((row) => examples.has(normaliseText(row.text))));
  assert.is(auditRequests({ rows }).findings.find((f) => f.check === "personal_data")?.count, 0);

  const again = importClinc150(source, { seed: 4 });
  assert.is(datasetOf(again.rows).sha256, datasetOf(rows).sha256);
  assert.is.not(datasetOf(importClinc150(source, { seed: 5 }).rows).sha256, datasetOf(rows).sha256);
});
