import { mkdtemp, readdir, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { InferencePool } from "../../../../src/inference/pool.js";
import { type FitCheckpoint, noCheckpoint } from "../../../../workbench/fit/words/fit-state.js";
import { fitStateFolder } from "../../../../workbench/fit/words/fit-state-file.js";
import { type FitReport, fitWordVectors } from "../../../../workbench/fit/words/fit-word-vectors.js";
import { smallFitData, smallFitSettings } from "../../../support/small-fit.js";
import { withPool } from "../../../support/pools.js";
import { rejects } from "../../../support/rejects.js";

const test = suite("workbench/fit/words/fit-word-vectors");

function fit(pool: InferencePool, store: FitCheckpoint, seed = 1, onProgress: (report: FitReport) => void = () => {}) {
  const stop = new AbortController();
  const options = { settings: smallFitSettings, seed, checkpoint: { store, identity: "small" }, pool, onProgress };
  return { result: fitWordVectors(smallFitData, { ...options, signal: stop.signal }), stop };
}

test("the loss falls, and equal seeds give equal bytes", () =>
  withPool({}, async (pool) => {
    const losses: number[] = [];
    const first = await fit(pool, noCheckpoint, 1, ({ loss }) => losses.push(loss)).result;
    const again = await fit(pool, noCheckpoint).result;
    const other = await fit(pool, noCheckpoint, 2).result;
    assert.is(losses.length, 3);
    assert.ok((losses.at(-1) ?? 9) < (losses[0] ?? 0), `losses ${losses.join(", ")}`);
    assert.equal(first.values, again.values);
    assert.not.equal(first.values, other.values);
    assert.is(first.values.length, first.vocabulary.lemmas.length * 16);
  }));

test("an interrupted fit resumes and gives the same bytes", () =>
  withPool({}, async (pool) => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-fit-"));
    try {
      const whole = await fit(pool, noCheckpoint).result;
      const store = fitStateFolder(join(folder, "state"));
      const cut = fit(pool, store, 1, ({ steps }) => steps === 100 && cut.stop.abort());
      const error = await rejects(cut.result, "INTERRUPTED");
      assert.match(error.message, /after 1\d\d of 220 steps/);
      const steps: number[] = [];
      const resumed = await fit(pool, store, 1, (report) => steps.push(report.steps)).result;
      assert.equal(steps, [200, 220]);
      assert.equal(resumed.values, whole.values);
    } finally {
      await rm(folder, { recursive: true });
    }
  }));

test("resuming a finished fit returns its bytes and loss without a step", () =>
  withPool({}, async (pool) => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-fit-"));
    try {
      const store = fitStateFolder(folder);
      const reports: Pick<FitReport, "steps" | "loss">[][] = [[], []];
      const [first, again] = [
        await fit(pool, store, 1, (report) => reports[0]?.push(report)).result,
        await fit(pool, store, 1, (report) => reports[1]?.push(report)).result,
      ];
      assert.equal(again.values, first.values);
      const figures = ({ steps, loss }: Pick<FitReport, "steps" | "loss">) => ({ steps, loss });
      assert.equal(reports[1]?.map(figures), reports[0]?.slice(-1).map(figures));
    } finally {
      await rm(folder, { recursive: true });
    }
  }));

test("a truncated stored state is not used", () =>
  withPool({}, async (pool) => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-fit-"));
    try {
      await fit(pool, fitStateFolder(folder)).result;
      const [file = ""] = await readdir(folder);
      await truncate(join(folder, file), 1000);
      assert.is(await fitStateFolder(folder).read("small"), null);
    } finally {
      await rm(folder, { recursive: true });
    }
  }));

test("data without any pair is refused", () =>
  withPool({}, async (pool) => {
    const data = { requests: [{ text: "one request", workflow: null }], workflows: [], synsets: [] };
    const checkpoint = { store: noCheckpoint, identity: "none" };
    const options = { settings: smallFitSettings, seed: 1, checkpoint, pool, onProgress: () => {} };
    await rejects(fitWordVectors(data, { ...options, signal: new AbortController().signal }), "FIT_FAILED");
  }));

test.run();
