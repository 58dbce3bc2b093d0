import { rowsOfSplit, type SeenRows } from "../../../stages/import/seen-rows.js";
import type { LabelledRequest } from "../../../src/documents/dataset.js";
import { assert, test } from "../../support/test.js";
import { aCatalog, aRequest, aWorkflow } from "../../support/score-cases.js";

const byText = ([a]: readonly unknown[], [b]: readonly unknown[]): number => (String(a) < String(b) ? -1 : 1);
const catalog = aCatalog(["pay", "stop"].map((workflowId) => aWorkflow({ workflow_id: workflowId })));
const row = (id: string, text: string, workflowId: string | null = "pay") =>
  aRequest({ id, text, workflow_id: workflowId });
const tested = [row("1", "pay it"), row("2", "pay now"), row("3", "pay me"), row("4", "hello", null)];
const seenAs = (rows: readonly LabelledRequest[], more: Partial<Omit<SeenRows, "tested">> = {}): SeenRows => ({
  all: rows,
  tested: rows,
  heldOut: [],
  workflows: catalog.workflows,
  wrongRoutes: () => [],
  ...more,
});
const of = (given: readonly LabelledRequest[], more: Partial<Omit<SeenRows, "tested">> = {}) =>
  rowsOfSplit(given, [seenAs(tested, more)], catalog);

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
    [seenAs(tested), seenAs([row("9", "pay me", null)])],
    { workflows: [] },
  );
  assert.is(again.withdrawn[0]?.workflow_id, "pay", "the label of its own id, not of the row that corrects it");
  const untested = of([...tested, { ...row("5", "a new wish", "stop"), withdrawn: "a joke" }]);
  assert.is(untested.withdrawn[0]?.workflow_id, "stop");
});

const without = { workflows: catalog.workflows.filter(({ workflow_id: workflowId }) => workflowId === "stop") };
const added = (given: readonly ReturnType<typeof row>[], before: readonly SeenRows[]) => {
  const { rows, merged } = rowsOfSplit(given, before, without);
  const retained = rows.filter(({ slices }) => slices?.["retained"] === "yes");
  return { rows, merged, texts: retained.map(({ text, workflow_id: id }) => [text, id]).sort(byText) };
};

test("a row of a workflow that left the catalog is out of scope; another dataset retains nothing", () => {
  const apart = [row("4", "hello", null), row("5", "pay it", "stop"), row("6", "pay now", null)];
  const { texts, merged } = added(apart, [seenAs(tested)]);
  assert.equal(texts, [
    ["pay it", null],
    ["pay me", null],
  ]);
  assert.equal(merged, []);
  const one = added([row("4", "hello", null), row("5", "pay it", "stop")], [seenAs(tested)]);
  assert.is(one.texts.length, 3, "one relabelled row of three is no merge");
  assert.is(rowsOfSplit([row("1", "something else entirely")], [seenAs(tested)], catalog).retained, 0);
});

test("if all rows of a workflow that left the catalog have one workflow, it was merged, its deleted rows too", () => {
  const given = [row("4", "hello", null), row("5", "pay it", "stop"), row("6", "pay now", "stop")];
  const { rows, texts, merged } = added(given, [seenAs(tested)]);
  assert.equal(merged, [{ from: "pay", into: "stop", requests: 3 }]);
  assert.equal(texts, [["pay me", "stop"]]);
  const again = added(given, [seenAs(tested), seenAs(rows)]);
  assert.equal([again.rows, again.merged], [rows, merged], "also after a calibration of the merged rows");
  const outOfScope = { ...row("r", "pay it", null), slices: { retained: "yes" } };
  const repaired = added(given, [seenAs(tested), seenAs([...given, outOfScope])]);
  assert.equal(repaired.texts, texts, "even if an earlier version of Sluice tested it as out of scope");
});

test("relabelling is no merge while the workflow is in the catalog; a withdrawn row does not count", () => {
  const relabelled = tested.map(({ id, text, workflow_id: own }) => row(id, text, own === null ? null : "stop"));
  const { retained, merged } = of(relabelled);
  assert.equal([retained, merged], [3, []]);
  const corrected = [...relabelled.slice(0, 2), row("3", "pay me", null), row("4", "hello", null)];
  assert.equal(added(corrected, [seenAs(tested)]).merged, []);
  const withdrawn = [...corrected, { ...row("5", "pay me"), withdrawn: "it is a joke" }];
  const settled = added(withdrawn, [seenAs(tested)]);
  assert.equal([settled.texts, settled.merged], [[], [{ from: "pay", into: "stop", requests: 2 }]]);
});

test("a text that was touched is the request that was seen, even when every text was", () => {
  const touched = tested.map((one) => ({ ...one, text: `${one.text} please my dear friends today` }));
  assert.is(of(touched).retained, 0, "fresh texts are another dataset");
  const long = ["please cancel the order of my mother", "please change the address of my mother"].map((text, at) =>
    row(String(at), text),
  );
  const polite = long.map((one) => ({ ...one, text: `${one.text} please` }));
  const { rows, retained } = rowsOfSplit(polite, [seenAs(long)], catalog);
  assert.is(retained, 2);
  assert.is(rows.length, 4);
});

test("deleting more than half of the seen rows retains them all", () => {
  const many = Array.from({ length: 40 }, (_, at) => row(`${at}`, `wish number ${at} of a customer`));
  assert.is(rowsOfSplit(many.slice(0, 3), [seenAs(many)], catalog).retained, 37);
  assert.is(rowsOfSplit([row("x", "another request entirely")], [seenAs(many)], catalog).retained, 0);
});

test("a row that was routed wrongly counts as wrong once data or workflows were edited, at its largest confidence", () => {
  const wrongRoutes = () => [
    { id: "2", confidence: 0.9 },
    { id: "2", confidence: 0.7 },
  ];
  assert.is(of(tested, { wrongRoutes }).wrongBefore, 0, "nothing was edited");
  const added = of([...tested, row("5", "a new wish")], { wrongRoutes });
  assert.equal(
    added.rows.flatMap(({ id, wrong_before: confidence }) => (confidence === undefined ? [] : [[id, confidence]])),
    [["2", 0.9]],
  );
  const cured = { workflows: [aWorkflow({ workflow_id: "pay" })], wrongRoutes };
  assert.is(of(tested, cured).wrongBefore, 1, "the catalog was edited");
  const deleted = of([...tested.slice(0, 1), ...tested.slice(2)], { wrongRoutes });
  assert.equal([deleted.retained, deleted.wrongBefore], [1, 1], "a deleted row too");
});

test("the same text with a corrected label is not counted right: it is in no fold until fresh requests are drawn", () => {
  const corrected = [{ ...row("3", "pay me"), withdrawn: "it asks to stop" }, row("9", "pay me", "stop")];
  const { rows, withdrawn } = of([...tested.filter(({ id }) => id !== "3"), ...corrected]);
  assert.equal([rows.map(({ id }) => id), withdrawn.length], [["1", "2", "4"], 1]);
});

test("a corrected held-out label is in no fold either, and keeps the label that was shown in every later release", () => {
  const heldOut = [row("h", "stop it", "pay")];
  const given = [
    ...tested,
    { ...row("h", "stop it", "pay"), withdrawn: "it asks to stop" },
    row("h2", "stop it", "stop"),
  ];
  const first = of(given, { heldOut });
  assert.equal(first.rows, tested);
  const later = rowsOfSplit(given, [seenAs(tested, { heldOut }), seenAs([row("h2", "stop it", "stop")])], catalog);
  assert.equal(later.withdrawn, [{ id: "h", workflow_id: "pay", reason: "it asks to stop" }]);
});

test("held-out rows that are relabelled, reworded or deleted are named with the label that they had", () => {
  const heldOut = [row("a", "stop it", "stop"), row("b", "stop this", "stop"), row("c", "stop now", "stop")];
  const given = [...tested, row("a", "stop it", "pay"), row("b", "please halt", "stop")];
  assert.equal(of(given, { heldOut }).heldOutChanges, [
    { id: "a", workflow_id: "stop", change: "relabelled" },
    { id: "b", workflow_id: "stop", change: "reworded" },
    { id: "c", workflow_id: "stop", change: "deleted" },
  ]);
});
