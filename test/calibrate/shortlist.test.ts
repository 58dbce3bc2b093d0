import { fitCalibration } from "../../calibrate/fit-calibration.js";
import { certifyShortlist, learnEntry, listableRows, type ListableRow } from "../../calibrate/shortlist.js";
import { CalibrationSchema } from "../../src/documents/calibration.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { shortlist } from "../../src/router/policy/shortlist.js";
import { assert, test } from "../support/test.js";
import { allowedViolations } from "./guarantee/run-worlds.js";
import { runShortlists } from "./guarantee/shortlists.js";
import { syntheticWorlds } from "./guarantee/worlds.js";
import { candidate, digests, record, syntheticRecords } from "./synthetic-records.js";

const certification = {
  claim: "fixed-catalog" as const,
  delta: 0.05,
  attempt: null,
  start_icc: 0.1,
  left_out: false,
};

/** Requests for 20 workflows, of which every so many-th has the right one second, at these relative odds. */
const requests = (count: number, every: number, odds: number): readonly ListableRow[] =>
  Array.from({ length: count }, (_, i) => {
    const firstWrong = i % every === 0;
    return {
      cluster: `workflow:${i % 20}`,
      inScope: true,
      confidence: 0.5 + i / (2 * count),
      odds: [1, odds],
      right: firstWrong ? odds : 1,
      firstWrong,
    };
  });

test("the largest share that passes is signed, after the looser targets", () => {
  // A tenth has the right one second, at .3: no share above that may be certified.
  const found = certifyShortlist([{ rows: requests(1000, 10, 0.3), entry: 0 }], 0, certification);
  assert.equal(
    found.trace.slice(0, 6).map(({ target_miss, share, passed }) => [target_miss, share, passed]),
    [
      [0.5, 0.02, true],
      [0.3, 0.02, true],
      [0.2, 0.02, true],
      [0.15, 0.02, true],
      [0.1, 0.02, true],
      [0.05, 0, true],
    ],
  );
  assert.is(found.target_miss, 0.05);
  assert.ok(found.share !== null && found.share > 0.25 && found.share <= 0.3, `${found.share}`);
  assert.is(found.missed, 0);
  assert.is(found.listed, 2000);
  assert.is(found.trace.at(-1)?.passed, false);
});

test("a request below the entry is missed, and a list without its workflow too", () => {
  const rows = requests(1000, 10, 0.3);
  const found = certifyShortlist([{ rows, entry: 0.51 }], 0.51, certification);
  assert.is(found.missed, 20);
  assert.is(found.empty, 20);
});

test("where the candidates lack the right workflow too often, the last target that passed is signed", () => {
  const rows = requests(1000, 14, 0.3).map((row) => (row.firstWrong ? { ...row, right: null } : row));
  const found = certifyShortlist([{ rows, entry: 0 }], 0, certification);
  assert.is(found.target_miss, 0.1);
  assert.is(found.share, 0.02);
  assert.match(found.sentence, /at most 10% get a shortlist without the right workflow \(95% confidence\)/u);
  assert.match(found.sentence, /among the first 5 candidates for only 92\.8% of the requests/u);
});

test("too few requests certify nothing, and say so", () => {
  const found = certifyShortlist([{ rows: requests(4, 10, 0.3), entry: 0 }], 0, certification);
  assert.equal([found.certified, found.entry, found.share, found.reason], [false, null, null, "TOO_FEW_ROUTED"]);
  assert.match(found.sentence, /^No shortlist is given/u);
  const none = certifyShortlist([], 0, certification);
  assert.is(none.reason, "NO_ACCEPTED_ROWS");
});

test("requests of one workflow are no independent evidence about new workflows", () => {
  const rows = requests(1000, 10, 0.3);
  const found = certifyShortlist([{ rows, entry: 0 }], 0, { ...certification, claim: "new-workflows" });
  // 20 workflows support 14% at best.
  assert.is(found.target_miss, 0.2);
  assert.is(found.population, "new_workflows");
});

test("the entry keeps out what is out of scope where that costs few misses", () => {
  const foreign = Array.from({ length: 300 }, (_, i) => ({
    cluster: `group:${i}`,
    inScope: false,
    confidence: 0.505,
    odds: [1, 0.9, 0.8],
    right: null,
    firstWrong: true,
  }));
  const rows = requests(1000, 50, 0.3);
  const entry = learnEntry([...rows, ...foreign], 0.05);
  assert.ok(entry > 0.505 && entry < 0.52, `${entry}`);
  assert.is(learnEntry(rows.slice(0, 20), 0.05), 0.5);
});

test("what is tested is what is served", () => {
  const gates = { calibrator: { slope: 1, intercept: 0 }, min_retrieval_score: 0.2, certified_workflows: null };
  const candidates = [candidate("flow.a", 2), candidate("flow.gold", 1), candidate("flow.c", -4)];
  const records = [
    record("1", candidates),
    record("2", candidates, { workflow_id: null }),
    record("3", candidates, { early_reason: "INPUT_EXTRACTION_TIMEOUT" }),
    record("4", [candidate("flow.gold", 2, { retrieval_score: 0.1 })]),
    record("5", candidates, { workflow_id: "flow.c" as WorkflowId }),
  ];
  const rows = listableRows(records, gates);
  for (const share of [0, 0.1, 0.4]) {
    const listed = records.map(({ early_reason: earlyReason, candidates: scored }) =>
      earlyReason === null
        ? shortlist({ candidates: scored }, { ...gates, shortlist: { entry: 0.1, share, size: 5 } }).workflows
        : [],
    );
    const hasRight = records.map(
      ({ workflow_id: workflowId }, i) => listed[i]?.some((one) => one.workflow_id === workflowId) === true,
    );
    assert.equal(
      rows.map(({ confidence, right }) => (confidence ?? 0) >= 0.1 && right !== null && right >= share),
      hasRight,
    );
  }
  assert.equal(
    rows.map(({ inScope, confidence }) => [inScope, confidence !== null]),
    [
      [true, true],
      [false, true],
      [true, false],
      [true, false],
      [true, true],
    ],
  );
});

const records = syntheticRecords({
  seed: 3,
  folds: ["tune", "certify"],
  workflows: 80,
  requestsPerWorkflow: 20,
  outOfScopeGroups: 30,
  requestsPerGroup: 8,
  candidates: 4,
  difficulty: 0.05,
});

test("a calibration has a shortlist for both populations and both kinds of fit", () => {
  const input = { records, target_risk: 0.1, delta: 0.05, digests, version: "1", calibrator: "platt" as const };
  for (const claim of ["new-workflows", "fixed-catalog"] as const) {
    for (const crossFit of [1, 8]) {
      const wire = checkSchema(
        CalibrationSchema,
        fitCalibration({ ...input, claim, cross_fit: crossFit }),
        "calibration",
      );
      const { shortlist: found } = wire;
      assert.is(found?.certified, true, `${claim}, ${crossFit}: ${found?.sentence}`);
      assert.is(found?.delta, 0.05);
    }
  }
});

test("a second try on the same labels is tested at its own level, which the sentence says", () => {
  const found = checkSchema(
    CalibrationSchema,
    fitCalibration({
      records,
      target_risk: 0.1,
      delta: 0.05,
      digests,
      version: "1",
      claim: "fixed-catalog",
      attempt: 2,
      calibrator: "platt",
    }),
    "calibration",
  ).shortlist;
  assert.ok(Math.abs((found?.delta ?? 1) - 0.15 * 0.05) < 1e-12);
  assert.match(
    found?.sentence ?? "",
    /\(95% confidence; this is the 2nd calibration on these labels, and the 95% covers both together\)\. Measured on/u,
  );
});

test("certified shortlists miss more than they say in no more draws than chance explains", () => {
  const run = { workflows: 52, repetitions: 25, seed: 11 };
  for (const world of syntheticWorlds.filter(({ name }) => ["heavy tail", "few twins in one tier"].includes(name))) {
    for (const claim of ["new-workflows", "fixed-catalog"] as const) {
      const { violations, signed } = runShortlists(world, claim, run);
      assert.ok(signed > 20, `${world.name}, ${claim}: ${signed} signed`);
      assert.ok(violations <= allowedViolations(run.repetitions), `${world.name}, ${claim}: ${violations}`);
    }
  }
});
