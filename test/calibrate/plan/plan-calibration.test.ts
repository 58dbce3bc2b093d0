import { type CalibrationPlan, plannedTargets } from "../../../src/documents/calibration-plan.js";
import { planAdvice, planRows } from "../../../reports/text/plan-text.js";
import { planClaims, plannedClaims } from "../../../calibrate/plan/plan-calibration.js";
import type { PlanInput } from "../../../calibrate/plan/plan-input.js";
import type { WorkflowId } from "../../../src/documents/primitives.js";
import type { ScoredRecord } from "../../../src/documents/scored-record.js";
import type { Folds } from "../../../src/documents/split.js";
import { folds } from "../../../src/documents/choices.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { syntheticRecords, type CliIo } from "../synthetic-records.js";
import { assert, test } from "../../support/test.js";

const base: CliIo = {
  seed: 3,
  folds: ["fit", "tune", "certify", "eval"],
  workflows: 24,
  requestsPerWorkflow: 12,
  outOfScopeGroups: 8,
  requestsPerGroup: 3,
  candidates: 2,
  difficulty: 0.15,
};

/** The split of records by their folds. */
function splitOf(records: readonly ScoredRecord[], disjointBy = "workflow") {
  const foldOf = (name: string) => {
    const own = records.filter(({ fold }) => fold === name);
    const inScope = own.filter(({ workflow_id: workflowId }) => workflowId !== null);
    return {
      clusters: [...new Set(own.map(({ cluster }) => cluster))].sort(),
      requests: own.length,
      workflows: new Set(inScope.map(({ workflow_id: workflowId }) => workflowId)).size,
      out_of_scope: own.length - inScope.length,
    };
  };
  const [fit, tune, certify, held] = folds.map(foldOf) as [
    Folds["fit"],
    Folds["tune"],
    Folds["certify"],
    Folds["eval"],
  ];
  return { disjoint_by: disjointBy, folds: { fit, tune, certify, eval: held } };
}

const questions = (records: readonly ScoredRecord[], more: Partial<PlanInput>): PlanInput => ({
  records,
  split: splitOf(records),
  claims: ["new-workflows", "fixed-catalog"],
  targets: plannedTargets,
  delta: 0.05,
  calibrator: "platt",
  seed: 1,
  samples: 30,
  afterSample: () => Promise.resolve(),
  ...more,
});

const plan = (records: readonly ScoredRecord[], more: Partial<PlanInput> = {}): Promise<CalibrationPlan> =>
  planClaims(questions(records, more));

const records = syntheticRecords(base);

/** The same requests as if one catalog were cut by request. */
function oneCatalog(all: readonly ScoredRecord[], labelled: number, certify: number): readonly ScoredRecord[] {
  return seededRandom(5)
    .shuffle(all.filter(({ fold }) => fold !== "fit"))
    .slice(0, labelled + certify)
    .map((record, i) => ({ ...record, fold: i < labelled ? ("tune" as const) : ("certify" as const) }));
}

test("CERTIFY and EVAL are not read: absent or wrong, the plan has the same bytes", async () => {
  const split = splitOf(records);
  const expected = JSON.stringify(await plan(records, { split, samples: 10 }));
  const readable = records.filter(({ fold }) => fold === "fit" || fold === "tune");
  assert.is(JSON.stringify(await plan(readable, { split, samples: 10 })), expected);
  const poisoned = records.map((record) =>
    record.fold === "certify" || record.fold === "eval"
      ? { ...record, workflow_id: null, candidates: [], error_code: "POISON" }
      : record,
  );
  assert.is(JSON.stringify(await plan(poisoned, { split, samples: 10 })), expected);
});

test("the order of the records changes nothing, and neither does a second time", async () => {
  const first = await plan(records, { samples: 10, search: false });
  assert.equal(await plan(records.toReversed(), { samples: 10, search: false }), first);
  assert.not.equal(await plan(records, { samples: 10, search: false, seed: 2 }), first);
  assert.equal(await plannedClaims(questions(records, { samples: 10, search: false })), first.claims);
});

test("a looser target is as likely to certify, and the advised one is likely", async () => {
  const { claims } = await plan(records, { search: false });
  for (const { targets, advised } of claims) {
    const shares = targets.map(({ probability }) => probability);
    // 30 samples: two of them are noise.
    assert.ok(
      shares.every((share, i) => share + 0.07 >= (shares[i - 1] ?? 0)),
      shares.join(" "),
    );
    const chosen = targets.find(({ target }) => target === advised);
    if (chosen !== undefined) assert.ok(chosen.probability >= 0.8);
  }
});

test("a target that certifies less often than a stricter one is named, with the stricter one", async () => {
  const found = await plan(records, { claims: ["fixed-catalog"], search: false, targets: [0.1, 0.15, 0.2] });
  const advice = (...probabilities: readonly number[]): string =>
    planAdvice({
      ...found,
      claims: found.claims.map((claim) => ({
        ...claim,
        targets: claim.targets.map((one, i) => ({ ...one, probability: probabilities[i] ?? 0 })),
      })),
    }).join("\n");
  assert.match(
    advice(0.63, 0.74, 0.31),
    /20% is certified less often than 15%, .* Plan for 15%: a claim certified at 15% /,
  );
  assert.not.match(advice(0.63, 0.74, 0.31), /15% certifies less often/);
  assert.not.match(advice(0.74, 0.72, 0.7), /less often/);
});

test("a claim about this catalog never lacks workflows, and one about new workflows says how many", async () => {
  const small = records.filter(({ fold, id }) => fold === "tune" || /-([0-2])-|oos[01]-/.test(id));
  const { claims } = await plan(small);
  const more = claims.flatMap(({ claim, targets }) =>
    targets.flatMap(({ missing }) => (missing.kind === "more" ? [{ claim, missing }] : [])),
  );
  assert.ok(more.some(({ claim, missing }) => claim === "new-workflows" && missing.workflows > 0));
  for (const { missing } of more.filter(({ claim }) => claim === "fixed-catalog")) assert.is(missing.workflows, 0);
  const rows = planRows({ claims });
  assert.ok(rows.some(([, , , , missing]) => /^about \d+ more workflows with [\d,]+ requests/.test(missing ?? "")));
  assert.not.ok(rows.some(([claim, , , , missing]) => claim === "this catalog" && /workflow/.test(missing ?? "")));
});

test("where nothing can be said the plan says so, and what to do first", async () => {
  const few = records.filter(({ fold, id }) => fold !== "tune" || /-[0-2]-\d+$/.test(id));
  const { claims } = await plan(few, { claims: ["new-workflows"] });
  assert.match(claims[0]?.unknown ?? "", /^TUNE has \d+ labelled requests; a plan needs at least 40\. Label/);
  const fewWorkflows = syntheticRecords({ ...base, workflows: 6 });
  const [about, catalog] = (await plan(fewWorkflows)).claims;
  assert.match(about?.unknown ?? "", /6 workflows; a plan about new workflows needs at least 10\. Claim this catalog/);
  assert.is(catalog?.unknown, null);
  assert.match(planAdvice(await plan(fewWorkflows, { search: false })).join("\n"), /No plan could be made for/);
});

test("120 rows of a set whose 1,000 rows certify are not called out of reach", async () => {
  const all = syntheticRecords({ ...base, seed: 8, workflows: 40, difficulty: 0.08 });
  const many = oneCatalog(all, 500, 500);
  const split = (of: readonly ScoredRecord[]) => splitOf(of, "request");
  const large = await plan(many, { split: split(many), claims: ["fixed-catalog"], search: false });
  const certifies = (large.claims[0]?.targets ?? []).filter(({ probability }) => probability > 0.95);
  assert.ok(certifies.length > 0);
  const few = oneCatalog(all, 60, 60);
  const { claims } = await plan(few, { split: split(few), claims: ["fixed-catalog"] });
  for (const { target } of certifies) {
    const found = claims[0]?.targets.find((one) => one.target === target);
    assert.is.not(found?.missing.kind, "out_of_reach", `${target}`);
  }
});

test("a target below the risk of every threshold is out of reach, whatever the amount of data", async () => {
  const guessed = records.map((record, i) =>
    record.workflow_id === null || i % 2 === 0 ? record : { ...record, workflow_id: "flow.unlike" as WorkflowId },
  );
  const { claims } = await plan(guessed, { claims: ["fixed-catalog"] });
  assert.is(claims[0]?.targets[0]?.missing.kind, "out_of_reach");
  assert.match(planRows({ claims })[0]?.[4] ?? "", /more than ten times the current data/);
});

test("a declared share of out-of-scope requests may lack out-of-scope requests alone", async () => {
  const scarce = records.filter(({ workflow_id: workflowId, id }) => workflowId !== null || /-oos[0-2]-/.test(id));
  const { claims } = await plan(scarce, { claims: ["fixed-catalog"], out_of_scope_share: 0.3 });
  const kinds = claims[0]?.targets.map(({ missing }) => missing.kind) ?? [];
  assert.ok(kinds.includes("more_out_of_scope"), kinds.join(" "));
  assert.match(planRows({ claims }).join("\n"), /about \d+ more out-of-scope requests/);
});

test("forbidden near-twins that stop most requests are named with the policy line and what it risks", async () => {
  const stopped = records.map((record, i) => {
    const [first] = record.candidates;
    if (first === undefined || i % 3 === 0) return record;
    const logits = { ...first.logits, executable: first.logits.executable + 1 };
    return {
      ...record,
      candidates: [
        { ...first, workflow_id: "flow.forbidden" as WorkflowId, eligible: false, logits },
        ...record.candidates,
      ],
    };
  });
  const found = await plan(stopped, { claims: ["fixed-catalog"], search: false });
  const { ineligible_competitors: ineligible } = found;
  assert.ok(ineligible !== null && ineligible.requests > ineligible.of / 2);
  assert.ok(ineligible.wrong > 0 && ineligible.wrong < ineligible.judged);
  assert.is(found.unroutable[0]?.reason, "BETTER_MATCH_NOT_ALLOWED");
  assert.match(
    planAdvice(found).join("\n"),
    /set `ineligible_competitors: 0` in the policy.*wrong for \d+ of the \d+/s,
  );
  assert.is((await plan(records, { search: false })).ineligible_competitors, null);
});

test("FIT is read only where it is asked for", async () => {
  const without = await plan(records, { claims: ["new-workflows"], samples: 5, search: false });
  assert.is(without.labelled.workflows, 24);
  const withFit = await plan(records, { claims: ["new-workflows"], samples: 5, search: false, withFit: true });
  assert.is(withFit.labelled.workflows, 48);
});
