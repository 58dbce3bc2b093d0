import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cutIntoRuns } from "../../../../src/inference/models/row-runs.js";

const test = suite("src/inference/models/row-runs");

const cut = (lengths: readonly number[]) => cutIntoRuns(lengths, (length) => length);

test("rows of similar length share a run, whatever their order", () => {
  assert.equal(cut([40, 5, 6, 44, 10]), [
    [5, 6, 10],
    [40, 44],
  ]);
});

test("the longest row of a run is at most a quarter and four tokens longer than the shortest", () => {
  assert.equal(cut([8, 14]), [[8, 14]]);
  assert.equal(cut([8, 15]), [[8], [15]]);
});

test("a run holds at most 4,096 tokens with padding, and a longer row runs alone", () => {
  const runs = cut([...Array<number>(100).fill(100), 5000]);
  assert.equal(
    runs.map((run) => run.length),
    [40, 40, 20, 1],
  );
  for (const run of runs.slice(0, 3)) assert.ok(run.length * Math.max(...run) <= 4096);
});

test("rows of equal length stay in order", () => {
  const rows = ["c1", "a1", "bb", "b1"];
  assert.equal(
    cutIntoRuns(rows, (row) => row.length),
    [rows],
  );
  assert.equal(cut([]), []);
});

test.run();
