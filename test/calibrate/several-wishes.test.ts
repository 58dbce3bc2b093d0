import { severalWishesOf } from "../../calibrate/several-wishes.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { assert, test } from "../support/test.js";
import { candidate, record } from "./synthetic-records.js";

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
