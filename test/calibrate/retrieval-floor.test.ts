import { learnRetrievalFloor } from "../../calibrate/retrieval-floor.js";
import { assert, test } from "../support/test.js";
import { candidate, record } from "./synthetic-records.js";

const identity = { slope: 1, intercept: 0 };
const right = (id: string, retrievalScore: number) =>
  record(id, [candidate("flow.gold", 1, { retrieval_score: retrievalScore })]);
const wrong = (id: string, retrievalScore: number) =>
  record(id, [candidate("flow.b", 1, { retrieval_score: retrievalScore })]);

test("of 200 right first candidates at most two are lost", () => {
  const records = Array.from({ length: 200 }, (_, i) => right(`r${i}`, (i + 1) / 1000));
  const floor = learnRetrievalFloor(records, identity);
  assert.is(floor, 0.003);
  assert.is(records.filter((r) => (r.candidates[0]?.retrieval_score ?? 0) < floor).length, 2);
});

test("fewer than a hundred right candidates lose none", () => {
  assert.is(learnRetrievalFloor([right("a", 0.4), right("b", 0.7)], identity), 0.4);
});

test("wrong first candidates do not hold the floor down", () => {
  assert.is(learnRetrievalFloor([right("a", 0.4), wrong("b", 0.1)], identity), 0.4);
});

test("equal scores are lost together or not at all", () => {
  const records = [
    ...Array.from({ length: 5 }, (_, i) => right(`t${i}`, 0.1)),
    ...Array.from({ length: 195 }, (_, i) => right(`r${i}`, 0.5)),
  ];
  assert.is(learnRetrievalFloor(records, identity), 0.1);
});

test("the best candidate counts, an ineligible competitor too, as in the decision", () => {
  const behind = record("r", [
    candidate("flow.gold", 1, { retrieval_score: 0.3 }),
    candidate("flow.s", 0, { eligible: false, retrieval_score: 0.9 }),
  ]);
  assert.is(learnRetrievalFloor([behind], identity), 0.9);
});

test("the floor is a decimal of 6 digits that the request which set it still reaches", () => {
  assert.is(learnRetrievalFloor([right("a", 0.12345678)], identity), 0.123456);
  assert.is(learnRetrievalFloor([right("a", -0.12345678)], identity), -0.123457);
});

test("without a right candidate nothing is stopped", () => {
  assert.is(learnRetrievalFloor([wrong("a", 0.6), wrong("b", 0.2)], identity), 0.2);
  assert.is(learnRetrievalFloor([], identity), 0);
});
