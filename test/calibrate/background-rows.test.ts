/** Generic requests that the calibrator learns as out of scope, and that no test, count or threshold reads. */
import { type Background, backgroundOf, lacksOutOfScope } from "../../calibrate/background-rows.js";
import { calibrationRows } from "../../calibrate/calibrators/calibration-row.js";
import { chooseCalibrator } from "../../calibrate/choose-calibrator.js";
import { describeCalibration } from "../../reports/text/calibration-text.js";
import { fitCalibration } from "../../calibrate/fit-calibration.js";
import type { FitInput } from "../../calibrate/fit-input.js";
import { answerOfRecord } from "../../eval/baselines/ranked-answer.js";
import { scoredTableBytes } from "../../eval/scored-table.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { Fold } from "../../src/documents/choices.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { readCalibrationDocument } from "../../src/router/policy/read-calibration.js";
import { auroc, scoreTable } from "../../eval/stats/roc.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";
import { assert, test, throws } from "../support/test.js";
import { candidate, digests, record } from "./synthetic-records.js";

const random = seededRandom(5);

/** The retrieval score tells what is out of scope; among requests in scope it says nothing about errors. */
function inScope(id: string, fold: Fold, workflow: number): ScoredRecord {
  const z = 5 * random.uniform() - 1;
  const wrong = random.uniform() > 1 / (1 + Math.exp(-z));
  const gold = `flow.w${workflow}`;
  const first = candidate(wrong ? "flow.wrong" : gold, z, { retrieval_score: 0.6 + 0.4 * random.uniform() });
  return record(id, [first], { workflow_id: gold as WorkflowId, cluster: `workflow:${gold}`, fold });
}

function outside(id: string): ScoredRecord {
  const first = candidate("flow.wrong", 5 * random.uniform() - 1, { retrieval_score: 0.3 + 0.4 * random.uniform() });
  return record(id, [first], { workflow_id: null, cluster: `group:${id}`, fold: "certify", gold_rank: null });
}

const times = <T>(count: number, make: (place: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, place) => make(place));

const labelled = times(1200, (place) => inScope(`in-${place}`, place % 2 === 0 ? "tune" : "certify", place % 60));
const background: Background = {
  requestsSha256: sha256Hex("requests"),
  recordsSha256: sha256Hex("records"),
  records: times(320, (place) => outside(`background-${place}`)),
};
const outOfScopeShare = 0.2;

/** Out of scope told apart from in scope by the confidence of a calibrator. */
function areaOf(rows: readonly ScoredRecord[]): number {
  const fitted = calibrationRows(labelled, { outOfScopeShare, background: rows });
  const { calibrator } = chooseCalibrator(fitted, { family: "request-features" });
  const tested = [
    ...times(400, (place) => inScope(`t-${place}`, "eval", place % 60)),
    ...times(400, (p) => outside(`o-${p}`)),
  ];
  const answers = tested.map((one) => answerOfRecord(one, calibrator));
  const table = scoreTable(
    answers.map(({ score }) => score),
    answers.map(({ scope }) => scope === "in_scope"),
  );
  return auroc(table).value ?? 0;
}

test("where no request out of scope is labelled, background rows tell them apart", () => {
  const [without, having] = [areaOf([]), areaOf(background.records)];
  assert.ok(having > without + 0.1, `${without} without, ${having} with`);
});

test("300 rows stand in for few labelled ones, 100 join many, and none are used without a share", () => {
  const count = (many: number, share: number | undefined): number => {
    const learned = [...labelled, ...times(many, (place) => outside(`l-${place}`))];
    return backgroundOf({ background, ...(share === undefined ? {} : { out_of_scope_share: share }) }, learned).length;
  };
  assert.equal([count(0, 0.1), count(99, 0.1), count(100, 0.1)], [300, 300, 100]);
  assert.equal([count(0, undefined), count(0, 0)], [0, 0]);
  assert.equal(backgroundOf({ out_of_scope_share: 0.1 }, labelled), []);
});

test("a background is the default where a share is declared and nothing learned is labelled out of scope", () => {
  const records = [...labelled, outside("certify-1")];
  assert.is(lacksOutOfScope({ records: labelled, out_of_scope_share: 0.1 }), true);
  assert.is(lacksOutOfScope({ records: labelled }), false);
  assert.is(lacksOutOfScope({ records, out_of_scope_share: 0.1 }), false);
  assert.is(lacksOutOfScope({ records, out_of_scope_share: 0.1, cross_fit: 1 }), true, "only TUNE is learned");
});

test("labelled and background rows out of scope together weigh share / (1 - share) times the others", () => {
  const learned = [...labelled, ...times(20, (place) => outside(`l-${place}`))];
  const rows = calibrationRows(learned, { outOfScopeShare, background: background.records.slice(0, 300) });
  const weights = rows.map(({ weight }) => weight);
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const [inside, out] = [sum(weights.slice(0, labelled.length)), sum(weights.slice(labelled.length))];
  assert.is(weights.length, labelled.length + 320);
  assert.ok(Math.abs(out / inside - outOfScopeShare / (1 - outOfScopeShare)) < 1e-9);
});

const input: FitInput = {
  records: [...labelled, ...times(40, (place) => outside(`real-${place}`))],
  target_risk: 0.3,
  delta: 0.1,
  claim: "fixed-catalog",
  calibrator: "request-features",
  out_of_scope_share: outOfScopeShare,
  digests,
  version: "background",
};

for (const crossFit of [1, 4]) {
  test(`a fit with background rows tests and counts the same requests, in ${crossFit} parts`, () => {
    const before = scoredTableBytes(input.records);
    const [without, having] = [
      fitCalibration({ ...input, cross_fit: crossFit }),
      fitCalibration({ ...input, cross_fit: crossFit, background }),
    ];
    assert.equal(scoredTableBytes(input.records), before);
    const counted = ({ claims, population, traffic, certified_workflows, digests: of }: typeof without) => ({
      requests: claims.map(({ requests, tiers }) => [requests, tiers]),
      population,
      share: traffic.expected.out_of_scope_share,
      certified_workflows,
      of,
    });
    assert.equal(counted(having), counted(without));
    assert.is(having.calibrator.fitted_requests, without.calibrator.fitted_requests + 300);
    const document = readCalibrationDocument(JSON.parse(canonicalJson(having)), "calibration.json");
    const { requestsSha256: requests_sha256, recordsSha256: records_sha256 } = background;
    assert.equal(document.fit.background, { requests_sha256, records_sha256, rows: 300 });
    assert.match(
      describeCalibration(document).join("\n"),
      /fitted with 300 background requests .* none of them was tested/,
    );
  });
}

test("background requests without a declared share are refused: nothing sets their weight", () => {
  const { out_of_scope_share: declared, ...undeclared } = input;
  assert.is(declared, outOfScopeShare);
  const { message } = throws(() => fitCalibration({ ...undeclared, background }), "CALIBRATION_INVALID");
  assert.match(message, /without a declared out-of-scope share/);
});
