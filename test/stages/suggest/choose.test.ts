import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chooseSuggestions } from "../../../stages/suggest/choose-suggestions.js";
import { groupDeclined, readUnlabelled } from "../../../stages/suggest/declined-requests.js";
import { learnableRows } from "../../../stages/suggest/learnable-rows.js";
import { labelSuggestion, requestsToLabel } from "../../../stages/suggest/requests-to-label.js";
import type { WorkflowId } from "../../../src/documents/primitives.js";
import type { LabelledRequest } from "../../../src/documents/dataset.js";
import type { ScoredRecord } from "../../../src/documents/scored-record.js";
import { type Fold, folds } from "../../../src/documents/choices.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";
import { aCatalog } from "../../support/builders.js";
import { aCandidate, aRecord, aWorkflow } from "../../support/score-cases.js";

const words = ["parcel", "invoice", "login", "refund", "address", "delivery", "window", "colour", "charger", "coupon"];
const ids = ["orders.find", "orders.cancel"] as const;

interface Scored {
  readonly rows: readonly LabelledRequest[];
  readonly records: readonly ScoredRecord[];
}

/** Requests of every fold; each third one has the other workflow first. @param label  of a request of these folds */
function scored(label: (fold: Fold, index: number) => string | null): Scored {
  const all = folds.flatMap((fold) =>
    Array.from({ length: 30 }, (_, index) => {
      const workflowId = label(fold, index);
      const own = ids[index % 2] ?? "orders.find";
      const other = ids[(index + 1) % 2] ?? "orders.cancel";
      const text = `${fold} ${words[index % 10]} ${words[(index * 7 + 3) % 10]} number ${index} ${own === "orders.find" ? "track locate" : "stop undo"}`;
      const row = { id: `${fold}-${index}`, text, workflow_id: workflowId as WorkflowId | null };
      const candidates = [
        aCandidate({ workflow_id: index % 3 === 0 ? other : own, probability: 0.6 + index / 100 }),
        aCandidate({ workflow_id: index % 3 === 0 ? own : other, probability: 0.4 }),
      ];
      return { row, record: aRecord({ id: row.id, workflow_id: workflowId, fold, candidates }) };
    }),
  );
  return { rows: all.map(({ row }) => row), records: all.map(({ record }) => record) };
}

const trueLabel = (_: Fold, index: number): string => ids[index % 2] ?? "orders.find";
const honest = scored(trueLabel);
/** CERTIFY and EVAL with wrong labels, or none. */
const poisoned = scored((fold, index) => {
  if (fold === "fit" || fold === "tune") return trueLabel(fold, index);
  return index % 5 === 0 ? null : (ids[(index + 1) % 2] ?? null);
});
const catalog = aCatalog({
  workflows: ids.map((workflowId) => aWorkflow({ workflow_id: workflowId, name: workflowId })),
});
const idsOf = (rows: readonly { readonly row: LabelledRequest }[]): readonly string[] => rows.map(({ row }) => row.id);

/** The claim tests CERTIFY alone, and models were fitted on FIT. */
const asBefore = { testsTune: false, fittedOnFit: true };

test("no request that a claim tests is read (finding C6)", () => {
  const { choose, measure } = learnableRows(honest.rows, honest.records, { testsTune: true, fittedOnFit: false });
  const folds = [...choose, ...measure].map(({ record }) => record.fold);
  assert.ok(folds.every((fold) => fold === "fit"));
  assert.ok(choose.length > 0 && measure.length > 0);
  const none = learnableRows(
    honest.rows,
    honest.records.map((record) => ({ ...record, fold: "certify" as const })),
    { testsTune: true, fittedOnFit: false },
  );
  assert.equal([none.choose.length, none.measure.length], [0, 0]);
});

test("only FIT and TUNE are learned from, only TUNE measures, and the halves share no request", () => {
  const { choose, measure } = learnableRows(honest.rows, honest.records, asBefore);
  assert.is(choose.length + measure.length, 60);
  assert.ok(idsOf(measure).every((id) => id.startsWith("tune-")));
  assert.ok(measure.length >= 12);
  assert.equal(
    idsOf(choose).filter((id) => idsOf(measure).includes(id)),
    [],
  );
});

test("texts that are almost the same stay on one side", () => {
  const base = "please tell me when the blue parcel of order will finally arrive at my new home address";
  const rows = Array.from({ length: 20 }, (_, index) => ({
    id: `r${index}`,
    text: index % 2 === 0 ? `${base} ${Math.floor(index / 2)}` : `${words[index % 10]} ${index}`,
    workflow_id: "orders.find" as WorkflowId,
  }));
  const records = rows.map(({ id }) => aRecord({ id, fold: "tune" }));
  const { choose, measure } = learnableRows(rows, records, asBefore);
  const alike = (side: readonly { readonly row: LabelledRequest }[]): number =>
    side.filter(({ row }) => row.text.startsWith(base)).length;
  assert.equal(
    [alike(choose), alike(measure)].sort((a, b) => a - b),
    [0, 10],
  );
});

test("labels of CERTIFY and EVAL change no suggestion", () => {
  const [a, b] = [honest, poisoned].map(({ rows, records }) => {
    const { choose, measure } = learnableRows(rows, records, asBefore);
    return { measure, chosen: chooseSuggestions({ catalog, choose }), label: labelSuggestion(choose, 10) };
  });
  assert.ok((a?.chosen.length ?? 0) >= 2);
  assert.equal(a, b);
});

test("suggestions add examples from wrong requests", () => {
  const { choose } = learnableRows(honest.rows, honest.records, asBefore);
  const chosen = chooseSuggestions({ catalog, choose });
  assert.equal([...new Set(chosen.map(({ kind }) => kind))].sort(), ["add_examples"]);
  const wrong = new Set(choose.filter(({ row }) => Number(row.id.split("-")[1]) % 3 === 0).map(({ row }) => row.id));
  const added = chosen.filter(({ kind }) => kind === "add_examples").flatMap(({ requests }) => requests);
  assert.ok(added.length > 0 && added.every((id) => wrong.has(id)));
  for (const { sentence } of chosen) assert.not.match(sentence, /number \d|parcel|invoice/);
});

test("declined requests are grouped by the two workflows ranked first, and each group says what would help", () => {
  const declined = (id: string, ...probabilities: readonly (readonly [string, number])[]): ScoredRecord => {
    const candidates = probabilities.map(([workflowId, probability]) =>
      aCandidate({ workflow_id: workflowId, probability }),
    );
    return aRecord({ id, workflow_id: null, candidates });
  };
  const groups = groupDeclined(
    [
      declined("clear", ["zoo.feed", 0.9], ["zoo.visit", 0.2]),
      declined("near-1", ["orders.find", 0.6], ["orders.cancel", 0.55]),
      declined("near-2", ["orders.cancel", 0.7], ["orders.find", 0.6]),
      declined("near-3", ["orders.find", 0.9], ["orders.cancel", 0.2]),
      declined("far-1", ["orders.find", 0.1], ["zoo.feed", 0.05]),
      declined("far-2", ["orders.find", 0.2], ["zoo.feed", 0.1]),
      aRecord({ id: "failed", error_code: "MODEL_RUN_FAILED", candidates: [] }),
      aRecord({ id: "nothing", workflow_id: null, candidates: [] }),
    ],
    6,
  );
  assert.equal(
    groups.map(({ workflows, requests, proposal, toLabel }) => [workflows.join(), requests, proposal, toLabel.join()]),
    [
      ["orders.cancel,orders.find", 3, "describe", "near-1,near-2,near-3"],
      ["orders.find,zoo.feed", 2, "nothing_near", "far-1,far-2"],
      ["", 1, "nothing_near", "nothing"],
      ["zoo.feed,zoo.visit", 1, "label", ""],
    ],
  );
  assert.is(
    groups[0]?.sentence,
    "Describe what tells orders.cancel and orders.find apart: they are close in 2 of 3 requests.",
  );
  assert.match(groups[3]?.sentence ?? "", /zoo\.feed leads in 1 of 1 request/);
});

test("requests to label are those with the smallest lead, and no label is read", () => {
  const picked = requestsToLabel(honest.records, 12);
  assert.equal(
    picked,
    requestsToLabel(
      honest.records.map((record) => ({ ...record, workflow_id: null })),
      12,
    ),
  );
  assert.is(picked.length, 12);
  const [first] = picked;
  assert.ok(picked.every(({ margin }) => margin >= (first?.margin ?? 1)));
  assert.is(requestsToLabel([aRecord({ error_code: "MODEL_RUN_FAILED" })], 5).length, 0);
});

test("texts without labels are read from lines and from JSON Lines; a fault names its line, never its text", () =>
  inTemporaryFolder(async (folder) => {
    const [lines, json, damaged] = ["a.txt", "b.jsonl", "c.jsonl"].map((name) => join(folder, name));
    await writeFile(lines ?? "", "\uFEFFone text\r\n\n second \n");
    await writeFile(json ?? "", '{"id":"x","text":"one"}\n{"text":"two"}\n');
    await writeFile(damaged ?? "", '{"text":"fine"}\n{"text":"unspeakable"\n');
    assert.equal(await readUnlabelled(lines ?? ""), [
      { id: "line-1", text: "one text" },
      { id: "line-3", text: "second" },
    ]);
    assert.equal(await readUnlabelled(json ?? ""), [
      { id: "x", text: "one" },
      { id: "line-2", text: "two" },
    ]);
    assert.match((await rejects(readUnlabelled("new.csv"), "DOCUMENT_INVALID")).message, /new\.csv: found a table/);
    const error = await rejects(readUnlabelled(damaged ?? ""), "DOCUMENT_INVALID");
    assert.match(error.message, /line-2/);
    assert.not.match(error.message, /unspeakable/);
  }));
