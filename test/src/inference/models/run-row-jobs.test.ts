import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type RowModel, runRowJobs } from "../../../../src/inference/models/run-row-jobs.js";
import type { JobOutcome } from "../../../../src/inference/models/worker-model.js";
import type { Job } from "../../../../src/inference/protocol.js";
import { textsJob } from "../../../support/transformers.js";
import { requireRows } from "../../../../src/inference/require-rows.js";

const test = suite("src/inference/models/run-row-jobs");

/** A token per character; a row's output is its length. Remembers the lengths of the rows of each run. */
function lengthModel(sharesRuns = true): RowModel & { readonly runs: number[][] } {
  const runs: number[][] = [];
  return {
    runs,
    sharesRuns,
    read: ({ input }) => {
      if (input.kind !== "texts") throw new Error("texts only");
      return input.texts.map((text) => {
        return { ids: [...text].map(() => 1), typeIds: [], truncated: text.endsWith("…") };
      });
    },
    run: async (rows) => {
      runs.push(rows.map(({ ids }) => ids.length));
      if (rows.some(({ ids }) => ids.length === 13)) throw new Error("13 tokens");
      const values = Float32Array.from(rows, ({ ids }) => ids.length);
      return { rows: rows.length, columns: 1, values };
    },
  };
}

const x = (length: number): string => "x".repeat(length);

async function all(jobs: readonly Job[], model: RowModel): Promise<readonly JobOutcome[]> {
  const outcomes: JobOutcome[] = [];
  for await (const outcome of runRowJobs(jobs, model)) outcomes.push(outcome);
  return outcomes;
}

const valuesOf = (outcomes: readonly JobOutcome[]) =>
  outcomes.map((outcome) => [
    outcome.id,
    "error" in outcome ? outcome.error.code : [...requireRows(outcome.output).matrix.values],
  ]);

test("rows of several jobs share runs by length, and each job gets its rows back in order", async () => {
  const model = lengthModel();
  const outcomes = await all([textsJob(1, [x(50), x(2)]), textsJob(2, [x(4), x(52), x(3)])], model);
  assert.equal(model.runs, [
    [2, 3, 4],
    [50, 52],
  ]);
  assert.equal(valuesOf(outcomes), [
    [1, [50, 2]],
    [2, [4, 52, 3]],
  ]);
});

test("a job that is alone, or a model that shares no runs, keeps rows apart", async () => {
  const alone = lengthModel();
  await all([textsJob(1, [x(2)]), textsJob(2, [x(2), x(3)], true), textsJob(3, [x(4)])], alone);
  assert.equal(alone.runs, [
    [2, 4],
    [2, 3],
  ]);
  const apart = lengthModel(false);
  await all([textsJob(1, [x(2)]), textsJob(2, [x(2), x(3)])], apart);
  assert.equal(apart.runs, [[2], [2, 3]]);
});

test("an outcome comes before the runs that its job does not need", async () => {
  const model = lengthModel();
  const outcomes = runRowJobs([textsJob(1, [x(60)]), textsJob(2, [x(2)])], model)[Symbol.asyncIterator]();
  assert.is((await outcomes.next()).value.id, 2);
  assert.equal(model.runs, [[2]]);
  assert.is((await outcomes.next()).value.id, 1);
});

test("a run that fails is repeated job by job, and the guilty job alone fails", async () => {
  const model = lengthModel();
  const jobs = [textsJob(1, [x(12), x(60)]), textsJob(2, [x(13), x(90)]), textsJob(3, [x(14)])];
  const outcomes = await all(jobs, model);
  assert.equal(valuesOf(outcomes), [
    [2, "MODEL_RUN_FAILED"],
    [3, [14]],
    [1, [12, 60]],
  ]);
  assert.equal(model.runs, [[12, 13, 14], [12], [13], [14], [60]]);
});

test("a job that cannot be read, or is empty, fails alone", async () => {
  const matrix = { rows: 1, columns: 1, values: Float32Array.of(1) };
  const wrong: Job = { id: 7, model: 0, input: { kind: "matrix", matrix }, alone: false };
  const outcomes = await all([wrong, textsJob(8, []), textsJob(9, [x(3)])], lengthModel());
  assert.equal(valuesOf(outcomes), [
    [7, "MODEL_RUN_FAILED"],
    [8, "MODEL_RUN_FAILED"],
    [9, [3]],
  ]);
});

test("rows that were cut are counted", async () => {
  const [outcome] = await all([textsJob(1, ["ab…", "abc", "…"])], lengthModel());
  assert.ok(outcome !== undefined && "output" in outcome);
  assert.is(requireRows(outcome.output).truncatedRows, 2);
});

test.run();
