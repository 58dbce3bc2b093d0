import { appendFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openResumeLog } from "../../eval/resume-log.js";
import { type ScoreOptions, scoreDataset } from "../../eval/score-dataset.js";
import { scoredTableBytes } from "../../eval/scored-table.js";
import { clusterOf } from "../../src/documents/dataset.js";
import { assert, rejects, testWith } from "../support/test.js";
import { KeywordScorer } from "../support/keyword-scorer.js";
import { aRequest, digestOf } from "../support/score-cases.js";

const test = testWith<{ folder: string }>();
const workflowIds = ["orders.cancel", "orders.find", "payments.find", "payments.refund"];
const rows = Array.from({ length: 40 }, (_, i) => {
  const workflowId = i % 5 === 4 ? null : (workflowIds[i % 4] ?? null);
  return aRequest({
    id: `row-${i}`,
    text: `${workflowId?.replace(".", " ") ?? "weather"} number ${i}`,
    workflow_id: workflowId,
  });
});
const foldOf = new Map(rows.map((row) => [clusterOf(row), "eval"] as const));

function options(scorer: KeywordScorer, more: Partial<ScoreOptions> = {}): ScoreOptions {
  return { rows, foldOf, scorer, catalogVersion: "test", workflowIds, concurrency: 4, ...more };
}

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "sluice-score-"));
});
test.after.each((context) => rmSync(context.folder, { recursive: true }));

test("scores each row once, in row order, within the concurrency", async () => {
  const scorer = new KeywordScorer(workflowIds);
  const records = await scoreDataset(options(scorer));
  assert.equal(
    records.map((record) => record.id),
    rows.map((row) => row.id),
  );
  assert.is(scorer.seen.length, rows.length);
  assert.is(scorer.mostInFlight, 4);
  const [first] = records;
  assert.is(first?.gold_rank, 1);
  assert.is(first?.cluster, "workflow:orders.cancel");
  assert.is(first?.fold, "eval");
  assert.is(records[4]?.gold_rank, null);
});

test("a joined text is scored besides its row, and its log odds are recorded with the row", async () => {
  const scorer = new KeywordScorer(workflowIds);
  const [first] = rows;
  const records = await scoreDataset(options(scorer, { joins: new Map([[first?.id ?? "", "cancel it and find it"]]) }));
  assert.is(scorer.seen.length, rows.length + 1);
  assert.equal(
    records.map(({ joined }) => joined),
    rows.map((row) => (row === first ? -1000 : undefined)),
  );
});

test("requests of removed workflows are near out of scope, without gold and without expected inputs", async () => {
  const folds = new Map([...foldOf, ["workflow:payments.find", "fit"] as const]);
  const labelled = [
    ...rows.slice(0, 5).map((row) => ({ ...row, missing_inputs: ["order_id"] })),
    aRequest({ id: "near", workflow_id: null, text: "weather", slices: { oos: "near_neighbour" } }),
  ];
  const records = await scoreDataset(
    options(new KeywordScorer(workflowIds), {
      rows: labelled,
      foldOf: new Map([...folds, ["row:near", "eval"] as const]),
      removedWorkflows: new Set(["orders.find"]),
    }),
  );
  assert.equal(
    records.map(({ workflow_id: workflowId, cluster, population }) => [workflowId, cluster, population]),
    [
      ["orders.cancel", "workflow:orders.cancel", "unseen_workflow"],
      [null, "workflow:orders.find", "near_oos"],
      ["payments.find", "workflow:payments.find", "seen"],
      ["payments.refund", "workflow:payments.refund", "unseen_workflow"],
      [null, "row:row-4", "far_oos"],
      [null, "row:near", "near_oos"],
    ],
  );
  assert.equal([records[0]?.expected_missing, records[1]?.expected_missing], [["order_id"], null]);
  assert.equal([records[0]?.gold_rank, records[1]?.gold_rank], [1, null]);
});

test("a request is seen when another one of its workflow is in FIT, whatever its own fold", async () => {
  const labelled = [
    aRequest({ id: "learned", text: "cancel", workflow_id: "orders.cancel" }),
    aRequest({ id: "tested", text: "cancel", workflow_id: "orders.cancel" }),
    aRequest({ id: "new", text: "find", workflow_id: "orders.find" }),
    aRequest({ id: "removed in FIT", text: "find", workflow_id: "payments.find" }),
    aRequest({ id: "removed", text: "find", workflow_id: "payments.find" }),
    aRequest({ id: "far in FIT", text: "weather", workflow_id: null }),
    aRequest({ id: "far", text: "weather", workflow_id: null }),
  ];
  const inFit = new Set(["learned", "removed in FIT", "far in FIT"]);
  const records = await scoreDataset(
    options(new KeywordScorer(workflowIds), {
      rows: labelled,
      foldOf: new Map(labelled.map(({ id }) => [`row:${id}`, inFit.has(id) ? "fit" : "eval"])),
      removedWorkflows: new Set(["payments.find"]),
    }),
  );
  assert.equal(
    records.map(({ population }) => population),
    ["seen", "seen", "unseen_workflow", "near_oos", "near_oos", "far_oos", "far_oos"],
  );
});

test("gives the same bytes at any concurrency", async () => {
  const bytes = await Promise.all(
    [1, 3, 40].map(async (concurrency) =>
      scoredTableBytes(await scoreDataset(options(new KeywordScorer(workflowIds), { concurrency }))),
    ),
  );
  assert.equal(bytes[1], bytes[0]);
  assert.equal(bytes[2], bytes[0]);
});

test("sends the allow list, context and trimmed text of the row, and the whole catalog where there is no list", async () => {
  const scorer = new KeywordScorer(workflowIds);
  const own = aRequest({ id: "own", text: " find ", allowed_workflow_ids: ["orders.find"], context: { order_id: 7 } });
  const open = aRequest({ id: "open", text: "find", allowed_workflow_ids: null, event_type: "order.created" });
  await scoreDataset(options(scorer, { rows: [own, open], concurrency: 1 }));
  assert.equal(scorer.seen, [
    {
      request_id: "row-0",
      text: "find",
      context: { order_id: 7 },
      catalog_version: "test",
      allowed_workflow_ids: ["orders.find"],
      blocked_workflow_ids: [],
      event_type: null,
      language: null,
      debug: false,
    },
    {
      request_id: "row-1",
      text: "find",
      context: {},
      catalog_version: "test",
      allowed_workflow_ids: workflowIds,
      blocked_workflow_ids: [],
      event_type: null,
      language: null,
      debug: false,
    },
  ]);
});

test("turns failures and scores that are not numbers into records with a code", async () => {
  const bad = [aRequest({ id: "a", text: "fail" }), aRequest({ id: "b", text: "nan" }), aRequest({ id: "c" })];
  const progress: number[] = [];
  const records = await scoreDataset(
    options(new KeywordScorer(workflowIds), { rows: bad, onProgress: ({ errors }) => progress.push(errors) }),
  );
  assert.equal(
    records.map((record) => record.error_code),
    ["MODEL_RUN_FAILED", "MODEL_RUN_FAILED", null],
  );
  assert.equal(records[0]?.candidates, []);
  assert.is(progress.at(-1), 2);
});

test("refuses a row whose cluster has no fold before it scores anything", async () => {
  const scorer = new KeywordScorer(workflowIds);
  const strange = aRequest({ id: "strange", workflow_id: "other.thing" });
  await rejects(scoreDataset(options(scorer, { rows: [...rows, strange] })), "SPLIT_INVALID");
  assert.is(scorer.seen.length, 0);
});

test("an interrupted run continues where it stopped and ends with the same bytes", async ({ folder }) => {
  const whole = scoredTableBytes(await scoreDataset(options(new KeywordScorer(workflowIds))));
  const abort = new AbortController();
  const stopAt = ({ done }: { readonly done: number }) => {
    if (done === 15) abort.abort();
  };
  const first = new KeywordScorer(workflowIds);
  const attempt = scoreDataset(
    options(first, { resume: openResumeLog(folder, digestOf(7)), signal: abort.signal, onProgress: stopAt }),
  );
  const error = await rejects(attempt, "INTERRUPTED");
  assert.match(error.hint ?? "", /continues/);

  const second = new KeywordScorer(workflowIds);
  const resume = openResumeLog(folder, digestOf(7));
  assert.is(resume.done.size, first.seen.length);
  const resumed = await scoreDataset(options(second, { resume }));
  assert.is(first.seen.length + second.seen.length, rows.length);
  assert.equal(scoredTableBytes(resumed), whole);
  resume.remove();
  assert.equal(readdirSync(folder), []);
});

test("tries failed rows again in the next attempt", async ({ folder }) => {
  const bad = [aRequest({ id: "a", text: "fail" }), aRequest({ id: "b" })];
  const run = { rows: bad, resume: openResumeLog(folder, digestOf(7)) };
  await scoreDataset(options(new KeywordScorer(workflowIds), run));
  assert.equal([...openResumeLog(folder, digestOf(7)).done.keys()], ["b"]);
});

test("drops a last line that was cut off, and keeps runs with other inputs apart", async ({ folder }) => {
  const resume = openResumeLog(folder, digestOf(7));
  await scoreDataset(options(new KeywordScorer(workflowIds), { resume }));
  appendFileSync(join(folder, `${digestOf(7)}.jsonl`), '{"id":"row-99","work');
  const again = openResumeLog(folder, digestOf(7));
  assert.is(again.done.size, rows.length);
  const [record] = again.done.values();
  if (record !== undefined) again.append({ ...record, id: "added" });
  assert.is(openResumeLog(folder, digestOf(7)).done.size, rows.length + 1);
  assert.is(openResumeLog(folder, digestOf(8)).done.size, 0);
});

test("an abort after the last row does not interrupt", async () => {
  const abort = new AbortController();
  const scorer = new KeywordScorer(workflowIds);
  const onProgress = ({ done, total }: { readonly done: number; readonly total: number }) => {
    if (done === total) abort.abort();
  };
  const records = await scoreDataset(options(scorer, { signal: abort.signal, onProgress }));
  assert.is(records.length, rows.length);
});
