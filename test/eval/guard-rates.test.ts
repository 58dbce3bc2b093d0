import { guardOutcomes, guardRates, ratesOfOutcomes } from "../../eval/guard-rates.js";
import type { TextGuard } from "../../src/documents/guard.js";
import { multiActionEn1 } from "../../stages/evaluate/guards/multi-action-en-1.js";
import { openEndedEn1 } from "../../stages/evaluate/guards/open-ended-en-1.js";
import { record } from "../calibrate/synthetic-records.js";
import { assert, test } from "../support/test.js";

const openEnded: TextGuard = openEndedEn1;
const multiAction: TextGuard = multiActionEn1;
const guards = [
  { guard: openEnded, enabled: true },
  { guard: multiAction, enabled: false },
];
const texts = new Map([
  ["a", "where is my order"],
  ["b", "  Recommend me a plan for my order "],
  ["c", "brainstorm names for my cat"],
  ["d", "how tall is the tower"],
  ["e", "recommend something"],
]);
const records = [
  record("a", []),
  record("b", []),
  record("c", [], { workflow_id: null, cluster: "row:c" }),
  record("d", [], { workflow_id: null, cluster: "row:d" }),
  record("e", [], { error_code: "MODEL_RUN_FAILED" }),
  record("without a text", []),
];

test("each guard reports its false rejections and catches, whether or not the policy uses it", () => {
  const [open, multi] = guardRates(records, (id) => texts.get(id), guards);
  assert.equal([open?.guard_id, open?.enabled, open?.reason_code], ["open-ended-en-1", true, "OPEN_ENDED_REASONING"]);
  assert.equal([open?.in_scope_declined.k, open?.in_scope_declined.n], [1, 2]);
  assert.equal([open?.out_of_scope_declined.k, open?.out_of_scope_declined.n], [1, 2]);
  assert.equal([multi?.enabled, multi?.in_scope_declined.k, multi?.out_of_scope_declined.k], [false, 0, 0]);
});

test("another stopped request is another digest, although no count differs; the order of the records is none", () => {
  const [first] = guardOutcomes(records, (id) => texts.get(id), guards);
  if (first === undefined) return assert.unreachable("expected a guard");
  const digestOf = (of: typeof records, stopped: readonly string[]) =>
    ratesOfOutcomes(of, [{ ...first, stopped }])[0]?.stopped_sha256;
  const signed = digestOf(records, first.stopped);
  assert.match(signed ?? "", /^[0-9a-f]{64}$/);
  assert.is(digestOf(records.toReversed(), first.stopped), signed);
  assert.is.not(digestOf(records, ["a", "c"]), signed);
});

test("a side without requests is undefined with its reason, never 0", () => {
  const [open] = guardRates(records.slice(0, 2), (id) => texts.get(id), guards);
  assert.is(open?.out_of_scope_declined.estimate, null);
  assert.is(open?.out_of_scope_declined.null_reason, "EMPTY_DENOMINATOR");
});
