import { fitCalibration } from "../../calibrate/fit-calibration.js";
import { severalWishesOf } from "../../calibrate/several-wishes.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import type { ScoredCandidate } from "../../src/documents/decision.js";
import type { ScoredRecord } from "../../src/documents/scored-record.js";
import { assert, test } from "../support/test.js";
import { candidate, digests, record, syntheticRecords } from "./synthetic-records.js";

const single = (id: number, several?: number) =>
  record(`r-${id}`, [candidate("flow.gold", 2)], several === undefined ? {} : { several });
/** 300 requests in scope with these log odds, the rest without a sign of two wishes. */
const scored = (...several: readonly number[]) =>
  Array.from({ length: 300 }, (_, index) => single(index, several[index]));

test("the threshold is the smallest that one request in a hundred exceeds, and states the limit for further ones", () => {
  const found = severalWishesOf(scored(1, 9, 5, 7, 3));
  assert.equal([found?.threshold, found?.single_requests, found?.declined], [3, 300, 3]);
  // Clopper-Pearson, 3 of 300, one-sided 95%: R 4.3, qbeta(.95, 4, 297).
  assert.ok(Math.abs((found?.upper_limit ?? 0) - 0.02566) < 5e-5, String(found?.upper_limit));
});

test("requests that are out of scope or failed set no threshold, and odds of seven to one against decline nothing", () => {
  const outside = record("o", [candidate("flow.gold", 2)], { workflow_id: null, cluster: "group:g", several: 99 });
  assert.is(severalWishesOf([...scored(-3, -2), outside])?.threshold, -2);
  assert.is(severalWishesOf([...scored(-3, -2), outside])?.declined, 0);
});

test("the joined requests that exceed the threshold are counted as found, those out of scope not at all", () => {
  const joined = (id: string, score: number, workflow_id: WorkflowId | null) =>
    record(id, [candidate("flow.gold", 2)], { joined: score, workflow_id });
  const gold = candidate("flow.gold", 2).workflow_id;
  const found = severalWishesOf([
    ...scored(1, 9, 5, 7, 3),
    joined("a", 3, gold),
    joined("b", 3.1, gold),
    joined("c", 9, null),
  ]);
  assert.equal([found?.threshold, found?.joined, found?.found], [3, 2, 1]);
});

test("few requests decline nothing of themselves, and without a sign of two wishes there is no threshold", () => {
  const few = severalWishesOf([single(1, 4), single(2, 6), single(3)]);
  assert.equal([few?.threshold, few?.declined], [6, 0]);
  assert.ok((few?.upper_limit ?? 0) > 0.5);
  assert.is(severalWishesOf(scored()), undefined);
});

test("labelled texts of two wishes count in the claim: as declined where they are recognised, otherwise as wrong routes", () => {
  const world = { workflows: 20, requestsPerWorkflow: 25, outOfScopeGroups: 10, requestsPerGroup: 5, candidates: 3 };
  const records = syntheticRecords({ seed: 1, folds: ["certify"], difficulty: 0.1, ...world });
  const sure = records.flatMap(({ candidates: [first] }) => ((first?.logits.executable ?? 0) > 4 ? [first] : []));
  const labelled = (several: number) =>
    sure.slice(0, 40).map((first, at) =>
      record(`two-${at}`, [first as ScoredCandidate], {
        workflow_id: null,
        cluster: `group:two-${at}`,
        fold: "certify",
        several,
      }),
    );
  const claimOf = (more: readonly ScoredRecord[]) => {
    const fit = { target_risk: 0.2, claim: "fixed-catalog" as const, digests, version: "2026-01" };
    return fitCalibration({ ...fit, records: [...records, ...more] }).claims[0];
  };
  const [alone, recognised, missed] = [claimOf([]), claimOf(labelled(9)), claimOf(labelled(-9))];
  assert.equal([alone?.errors, recognised?.errors, missed?.errors], [0, 0, 40]);
  assert.is(recognised?.routed, alone?.routed);
  assert.equal([alone?.target_risk, recognised?.target_risk, missed?.target_risk], [0.2, 0.2, 0.3]);
  assert.match(recognised?.promise ?? "", "at most 15.2% fits no workflow");
});
