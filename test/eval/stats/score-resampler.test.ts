import { auroc, scoreTable } from "../../../eval/stats/roc.js";
import { aurc } from "../../../eval/stats/risk-coverage.js";
import { type ClusteredScores, countingOrder, ScoreResampler } from "../../../eval/stats/score-resampler.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { assert, near, test } from "../../support/test.js";

function clustered(rows: number, clusters: number, digits: number): ClusteredScores {
  const random = seededRandom(5);
  const scores = Float64Array.from({ length: rows }, () => Number(random.uniform().toFixed(digits)));
  return {
    clusters,
    cluster: Int32Array.from({ length: rows }, () => random.integer(0, clusters - 1)),
    scores,
    events: Uint8Array.from(scores, (score) => (random.uniform() < score ? 1 : 0)),
  };
}

/** The rows of every cluster as often as it was drawn. */
function repeated({ cluster, scores, events }: ClusteredScores, draws: Float64Array) {
  const rows = [...cluster.keys()].flatMap((row) =>
    Array.from({ length: draws[cluster[row] as number] as number }, () => row),
  );
  return scoreTable(
    rows.map((row) => scores[row] as number),
    rows.map((row) => events[row] as number),
  );
}

const draws = Float64Array.of(2, 0, 1, 3, 0, 1);

test("a resample is the table of the rows repeated as their cluster was drawn", () => {
  const rows = clustered(400, 6, 2);
  const found = new ScoreResampler(rows).resample(draws);
  const expected = repeated(rows, draws);
  assert.equal([found.totalRows, found.totalEvents], [expected.totalRows, expected.totalEvents]);
  near(aurc(found).value, aurc(expected).value ?? Number.NaN, 1e-12);
  near(auroc(found).value, auroc(expected).value ?? Number.NaN, 1e-12);
});

test("with thousands of distinct scores the resampled areas stay within a thousandth", () => {
  const rows = clustered(20_000, 6, 9);
  const found = new ScoreResampler(rows).resample(draws);
  assert.ok(found.scores.length <= 300, `${found.scores.length} lines`);
  const expected = repeated(rows, draws);
  near(aurc(found).value, aurc(expected).value ?? Number.NaN, 1e-3);
  near(auroc(found).value, auroc(expected).value ?? Number.NaN, 1e-3);
});

test("drawing every cluster once gives back the counts", () => {
  const resampler = new ScoreResampler(clustered(300, 6, 2));
  const once = resampler.resample(new Float64Array(6).fill(1));
  assert.equal([...once.rows], [...resampler.table.rows]);
  assert.equal([...once.events], [...resampler.table.events]);
});

test("no rows give empty tables", () => {
  const empty = new ScoreResampler(clustered(0, 3, 2));
  assert.is(empty.resample(Float64Array.of(1, 1, 1)).totalRows, 0);
});

test("counting order is stable", () => {
  assert.equal([...countingOrder(Int32Array.of(2, 0, 2, 1, 0), 3)], [1, 4, 3, 0, 2]);
});
