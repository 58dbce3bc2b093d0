import { attemptOf, rowsOfSplit, type TestedRows } from "../../../stages/import/tested-before.js";
import type { Calibration } from "../../../src/documents/calibration.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { certifyPath, type ThresholdStep } from "../../../calibrate/fixed-sequence-test.js";
import { readAsRequests } from "../../../calibrate/claim-reading.js";
import { assert, test } from "../../support/test.js";
import { aCalibration, aCatalog, aRequest, aWorkflow, digestOf } from "../../support/score-cases.js";
import { aClaim } from "../../support/builders.js";

const byText = ([a]: readonly unknown[], [b]: readonly unknown[]): number => (String(a) < String(b) ? -1 : 1);
const catalog = aCatalog(["pay", "stop"].map((workflowId) => aWorkflow({ workflow_id: workflowId })));
const row = (id: string, text: string, workflowId: string | null = "pay") =>
  aRequest({ id, text, workflow_id: workflowId });
const tested = [row("1", "pay it"), row("2", "pay now"), row("3", "pay me"), row("4", "hello", null)];
const of = (given: readonly ReturnType<typeof row>[]) => rowsOfSplit(given, [{ rows: tested }], catalog);

test("a deleted, rewritten or relabelled text stays a test row with its old text and label", () => {
  const { rows, retained } = of([
    row("1", "pay it"),
    row("2", "pay it tomorrow"),
    row("3", "pay me", "stop"),
    row("4", "hello", null),
  ]);
  assert.is(retained, 2);
  const added = rows.filter(({ slices }) => slices?.["retained"] === "yes");
  assert.equal(added.map(({ text, workflow_id: workflowId }) => [text, workflowId]).sort(byText), [
    ["pay me", "pay"],
    ["pay now", "pay"],
  ]);
});

test("new rows, other ids and another order retain nothing, and retaining twice is retaining once", () => {
  const edited = [
    row("a", "a new wish"),
    row("b", "hello", null),
    row("c", "pay me"),
    row("d", "Pay now!"),
    row("e", "pay it"),
  ];
  assert.is(of(edited).retained, 0);
  const once = of([row("1", "pay it"), row("2", "pay now"), row("4", "hello", null)]);
  assert.equal(of(once.rows).rows, once.rows);
});

test("a label that its owner withdraws with a reason is tested no more, and the reason stays", () => {
  const { rows, retained, withdrawn } = of([
    row("1", "pay it"),
    row("2", "pay now"),
    { ...row("3", "pay me"), withdrawn: "it asks for a refund" },
    row("4", "hello", null),
  ]);
  assert.equal(
    [rows.length, retained, withdrawn],
    [3, 0, [{ id: "3", workflow_id: "pay", reason: "it asks for a refund" }]],
  );
  const relabelled = of([...tested.slice(0, 2), { ...row("3", "pay me", null), withdrawn: "a joke" }]);
  assert.is(relabelled.withdrawn[0]?.workflow_id, "pay", "the label that was tested");
  const again = rowsOfSplit(
    [...tested.slice(0, 2), { ...row("3", "pay me"), withdrawn: "a joke" }, row("9", "pay me", null)],
    [{ rows: tested }, { rows: [row("9", "pay me", null)] }],
    { workflows: [] },
  );
  assert.is(again.withdrawn[0]?.workflow_id, "pay", "the label of its own id, not of the row that corrects it");
  const untested = of([...tested, { ...row("5", "a new wish", "stop"), withdrawn: "a joke" }]);
  assert.is(untested.withdrawn[0]?.workflow_id, "stop");
});

const without = { workflows: catalog.workflows.filter(({ workflow_id: workflowId }) => workflowId === "stop") };
const added = (given: readonly ReturnType<typeof row>[], before: readonly Pick<TestedRows, "rows">[]) => {
  const { rows, merged } = rowsOfSplit(given, before, without);
  const retained = rows.filter(({ slices }) => slices?.["retained"] === "yes");
  return { rows, merged, texts: retained.map(({ text, workflow_id: id }) => [text, id]).sort(byText) };
};

test("a row of a workflow that left the catalog is out of scope; another dataset retains nothing", () => {
  const apart = [row("4", "hello", null), row("5", "pay it", "stop"), row("6", "pay now", null)];
  const { texts, merged } = added(apart, [{ rows: tested }]);
  assert.equal(texts, [
    ["pay it", null],
    ["pay me", null],
  ]);
  assert.equal(merged, []);
  const one = added([row("4", "hello", null), row("5", "pay it", "stop")], [{ rows: tested }]);
  assert.is(one.texts.length, 3, "one relabelled row of three is no merge");
  assert.is(rowsOfSplit([row("1", "something else entirely")], [{ rows: tested }], catalog).retained, 0);
});

test("if all rows of a workflow that left the catalog have one workflow, it was merged, its deleted rows too", () => {
  const given = [row("4", "hello", null), row("5", "pay it", "stop"), row("6", "pay now", "stop")];
  const { rows, texts, merged } = added(given, [{ rows: tested }]);
  assert.equal(merged, [{ from: "pay", into: "stop", requests: 3 }]);
  assert.equal(texts, [["pay me", "stop"]]);
  const again = added(given, [{ rows: tested }, { rows }]);
  assert.equal([again.rows, again.merged], [rows, merged], "also after a calibration of the merged rows");
  const outOfScope = { ...row("r", "pay it", null), slices: { retained: "yes" } };
  const repaired = added(given, [{ rows: tested }, { rows: [...given, outOfScope] }]);
  assert.equal(repaired.texts, texts, "even if an earlier version of Sluice tested it as out of scope");
});

test("relabelling is no merge while the workflow is in the catalog; a withdrawn row does not count", () => {
  const relabelled = tested.map(({ id, text, workflow_id: own }) => row(id, text, own === null ? null : "stop"));
  const { retained, merged } = of(relabelled);
  assert.equal([retained, merged], [3, []]);
  const corrected = [...relabelled.slice(0, 2), row("3", "pay me", null), row("4", "hello", null)];
  assert.equal(added(corrected, [{ rows: tested }]).merged, []);
  const withdrawn = [...corrected, { ...row("5", "pay me"), withdrawn: "it is a joke" }];
  const settled = added(withdrawn, [{ rows: tested }]);
  assert.equal([settled.texts, settled.merged], [[], [{ from: "pay", into: "stop", requests: 2 }]]);
});

const made = (run: number, population: "this_catalog" | "new_workflows", rows = tested): TestedRows => {
  const calibration: Calibration = {
    ...aCalibration(),
    fit: { ...aCalibration().fit, attempt: 1 },
    claims: [aClaim({ population })],
    digests: { ...aCalibration().digests, run: digestOf(run) },
  };
  return { id: digestOf(run), calibration, rows };
};
const asked = {
  population: "this_catalog",
  identity: digestOf(9),
  identityOf: ({ digests }: Calibration) => digests.run,
} as const;

test("earlier calibrations of one of these texts count, the same fit once, other populations and other texts not", () => {
  const history = [
    made(1, "this_catalog"),
    made(2, "new_workflows"),
    made(3, "this_catalog", [row("x", "unrelated")]),
    made(4, "this_catalog"),
    made(4, "this_catalog"),
  ];
  assert.is(attemptOf([], tested, asked), 1);
  assert.is(attemptOf(history, tested, asked), 3);
  assert.is(
    attemptOf([...history, made(9, "this_catalog"), made(5, "this_catalog")], tested, asked),
    3,
    "the same fit",
  );
});

test("five rounds of edits that drop wrong rows: nothing false is certified in more than 5 % (findings C6, C8)", () => {
  const random = seededRandom(5);
  const target = 0.1;
  const repetitions = 600;
  const routed = 130;
  const round = (errors: number, attempt: number, rows: number): boolean => {
    const counts = { routed: rows, errors, inScope: [], outOfScope: [], of: () => ({ trials: 0, events: 0 }) };
    const thresholdStep: ThresholdStep = {
      confidence: 0.5,
      routed: rows,
      errors,
      workflows: 12,
      inScopeWorkflows: 12,
      ...readAsRequests(counts),
    };
    const delta = (6 * 0.05) / (Math.PI * attempt) ** 2;
    return certifyPath([thresholdStep], { target, delta }).certified.length > 0;
  };
  let [kept, dropped] = [0, 0];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    // The true risk is just above the target. Edits change nothing but which rows are left.
    const errors = Array.from({ length: routed }, () => random.uniform() < 0.101).filter(Boolean).length;
    const rounds = [1, 2, 3, 4, 5];
    if (rounds.some((k) => round(errors, k, routed))) kept += 1;
    if (rounds.some((k) => round(Math.max(0, errors - 3 * (k - 1)), 1, routed - 3 * (k - 1)))) dropped += 1;
  }
  assert.ok(kept <= repetitions * 0.05, `${kept} of ${repetitions}`);
  assert.ok(dropped > repetitions * 0.3, `without retaining, ${dropped} of ${repetitions} are false`);
});
