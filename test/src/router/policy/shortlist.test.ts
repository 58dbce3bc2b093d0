import type { ScoredCandidate } from "../../../../src/documents/decision.js";
import type { WorkflowId } from "../../../../src/documents/primitives.js";
import type { Shortlist } from "../../../../src/documents/shortlist.js";
import { decide, declineBeforeScoring } from "../../../../src/router/policy/decide.js";
import {
  askBetween,
  emptyShortlist,
  followUpShortlist,
  shortlist as shortlistOf,
  type ShortlistRules,
} from "../../../../src/router/policy/shortlist.js";
import { seededRandom } from "../../../../src/base/numbers/seeded-random.js";
import { assert, test } from "../../../support/test.js";
import { aCalibration, aScoredCandidate } from "../../../support/builders.js";

const calibration = aCalibration();
const rules: ShortlistRules = { ...calibration, shortlist: { entry: 0.5, share: 0.1, size: 3 } };
const candidate = (workflowId: string, confidence: number, more: Partial<ScoredCandidate> = {}): ScoredCandidate =>
  aScoredCandidate({ workflow_id: workflowId, confidence, ...more } as Parameters<typeof aScoredCandidate>[0]);
const shortlist = (candidates: readonly ScoredCandidate[], under: ShortlistRules) => shortlistOf({ candidates }, under);
const idsOf = (candidates: readonly ScoredCandidate[], under = rules): readonly string[] =>
  shortlist(candidates, under).workflows.map(({ workflow_id: workflowId }) => workflowId);

test("workflows whose odds reach the share of the first are listed, best first", () => {
  // Odds 9, 1.5 and 0.25: relative to the first 1, .167 and .028.
  const found = shortlist([candidate("c", 0.2), candidate("a", 0.9), candidate("b", 0.6)], rules);
  assert.equal(
    found.workflows.map(({ workflow_id: workflowId }) => workflowId),
    ["a", "b"],
  );
  assert.equal([found.complete, found.reason_code], [true, "SHORTLISTED"]);
});

test("the first confidence is that of routing, and the others fall with their odds", () => {
  const candidates = [candidate("a", 0.9), candidate("b", 0.6, { missing_inputs: ["order"] })];
  const [first, second] = shortlist(candidates, rules).workflows;
  assert.is(first?.confidence, decide({ candidates }, calibration).confidence);
  assert.is(second?.confidence, Math.round(0.9e6 * (1.5 / 9)) / 1e6);
  assert.equal(second?.missing_inputs, ["order"]);
});

test("a comparison accepts at equality", () => {
  const exact = { ...rules, shortlist: { entry: 0.9, share: 0.166667, size: 3 } };
  assert.equal(idsOf([candidate("a", 0.9), candidate("b", 0.6)], exact), ["a", "b"]);
  assert.equal(idsOf([candidate("a", 0.9)], { ...rules, shortlist: { entry: 0.900001, share: 0, size: 3 } }), []);
});

test("below the entry or the retrieval floor nothing fits", () => {
  assert.equal(shortlist([candidate("a", 0.4), candidate("b", 0.4)], rules), {
    workflows: [],
    complete: false,
    reason_code: "NO_WORKFLOW",
  });
  assert.is(shortlist([candidate("a", 0.9, { retrieval_score: 0.01 })], rules).reason_code, "NO_WORKFLOW");
  assert.is(shortlist([], rules).reason_code, "NO_WORKFLOW");
});

test("a cut list is not complete", () => {
  const found = shortlist(
    ["a", "b", "c", "d"].map((id) => candidate(id, 0.8)),
    rules,
  );
  assert.is(found.workflows.length, 3);
  assert.is(found.complete, false);
});

test("a better workflow that the caller may not use empties the list, and no other one is named", () => {
  const forbidden = candidate("z", 0.95, { eligible: false });
  assert.is(shortlist([candidate("a", 0.9), forbidden], rules).reason_code, "BETTER_MATCH_NOT_ALLOWED");
  const second = shortlist([candidate("a", 0.9), candidate("z", 0.8, { eligible: false })], rules);
  assert.equal(
    second.workflows.map(({ workflow_id: workflowId }) => workflowId),
    ["a"],
  );
  assert.is(second.complete, false);
});

test("workflows without evidence are not listed", () => {
  const known = { ...rules, certified_workflows: ["a", "c"] };
  assert.is(shortlist([candidate("b", 0.9), candidate("a", 0.8)], known).reason_code, "WORKFLOW_NOT_CERTIFIED");
  const found = shortlist([candidate("a", 0.9), candidate("b", 0.8), candidate("c", 0.7)], known);
  assert.equal(
    found.workflows.map(({ workflow_id: workflowId }) => workflowId),
    ["a", "c"],
  );
  assert.is(found.complete, false);
});

test("without certified thresholds, or where inputs were not resolved, nothing is listed", () => {
  const none = { ...rules, shortlist: { entry: null, share: null, size: 3 } };
  assert.is(shortlist([candidate("a", 0.9)], none).reason_code, "SHORTLIST_NOT_CERTIFIED");
  assert.is(shortlist([candidate("a", 0.9)], calibration).reason_code, "SHORTLIST_NOT_CERTIFIED");
  const late = [candidate("a", 0.9), candidate("b", 0.8, { input_timeout: true })];
  assert.is(shortlist(late, rules).reason_code, "INPUT_EXTRACTION_TIMEOUT");
});

test("a follow-up has the list of its text alone if that begins with the previous workflow, and otherwise none", () => {
  const alone = shortlist([candidate("a", 0.9), candidate("b", 0.8)], rules);
  const following = (previous: string | null, closes = false) =>
    followUpShortlist(alone, {
      previous: previous as WorkflowId | null,
      joined: false,
      closing: closes ? 1 : -1,
      new_wish: 0,
    });
  assert.equal(following("a"), alone);
  assert.equal(following("b"), emptyShortlist("CONTEXT_NEEDED"));
  assert.equal(following(null), emptyShortlist("CONTEXT_NEEDED"));
  assert.equal(following("a", true), emptyShortlist("NO_REQUEST"));
  const none = shortlist([], calibration);
  assert.equal(followUpShortlist(none, { previous: null, joined: false, closing: -1, new_wish: 0 }), none);
});

test("asking back takes a complete list of two or three, and a decline that only thresholds gave", () => {
  const listed = (length: number, complete = true): Shortlist => ({
    workflows: Array.from({ length }, (_, i) => ({
      workflow_id: `w${i}` as WorkflowId,
      confidence: 0.1,
      missing_inputs: [],
    })),
    complete,
    reason_code: "SHORTLISTED",
  });
  const scored = {
    ...declineBeforeScoring("BELOW_RISK_THRESHOLD"),
    confidence: 0.4,
    margin: 0.1,
    risk_tier: "low",
  } as const;
  const asked = { ...scored, decision: "CLARIFY", reason_code: "ASK_BETWEEN" } as const;
  for (const length of [2, 3]) assert.equal(askBetween(scored, listed(length)), asked);
  for (const list of [listed(0), listed(1), listed(4), listed(2, false)]) assert.is(askBetween(scored, list), scored);
  for (const [reasonCode, asks] of [
    ["AMBIGUOUS_CANDIDATES", true],
    ["LOW_CONFIDENCE_MISSING_INPUT", false],
    ["NO_WORKFLOW", false],
    ["ACCEPTED_LOW_RISK", false],
  ] as const) {
    assert.is(
      askBetween({ ...scored, reason_code: reasonCode }, listed(2)).reason_code === "ASK_BETWEEN",
      asks,
      reasonCode,
    );
  }
});

test("lists shrink as thresholds rise, have no ineligible workflow, and do not depend on the order", () => {
  const random = seededRandom(5);
  for (let round = 0; round < 300; round += 1) {
    const candidates = Array.from({ length: 6 }, (_, i) =>
      candidate(`w${i}`, 0.02 + 0.96 * random.uniform(), { eligible: random.uniform() < 0.8 }),
    );
    const [low, high] = [random.uniform(), random.uniform()].sort((a, b) => a - b) as [number, number];
    const at = (entry: number, share: number) => ({ ...rules, shortlist: { entry, share, size: 4 } });
    const wide = idsOf(candidates, at(low, low));
    const narrow = idsOf(candidates, at(high, high));
    assert.ok(narrow.every((id) => wide.includes(id)));
    assert.ok(
      wide.every((id) => candidates.some(({ workflow_id: workflowId, eligible }) => eligible && workflowId === id)),
    );
    assert.equal(idsOf(random.shuffle(candidates), at(low, low)), wide);
  }
});

test("a text in a language that is not covered gets no shortlist", () => {
  const text = { candidates: [candidate("a", 0.9)], languages: ["de"] };
  assert.is(shortlistOf(text, { ...rules, languages: { covered: ["en"] } }).reason_code, "LANGUAGE_NOT_CERTIFIED");
  assert.is(shortlistOf(text, { ...rules, languages: { covered: ["de"] } }).reason_code, "SHORTLISTED");
});
