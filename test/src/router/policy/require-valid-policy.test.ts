import { schemaProblems } from "../../../../src/documents/check-schema.js";
import type { TextGuard } from "../../../../src/documents/guard.js";
import { defaultPolicy, RoutingPolicySchema } from "../../../../src/documents/policy.js";
import { guardsIdentity } from "../../../../src/router/policy/guards/compile-guards.js";
import { multiActionEn1 } from "../../../../stages/evaluate/guards/multi-action-en-1.js";
import { openEndedEn1 } from "../../../../stages/evaluate/guards/open-ended-en-1.js";
import { requireValidPolicy } from "../../../../src/router/policy/require-valid-policy.js";
import { assert, test, throws } from "../../../support/test.js";
import { aPolicy } from "../../../support/builders.js";

const openEnded = (...patterns: string[]): TextGuard => {
  return { kind: "open_ended", guard_id: "mine-1", language: "en", patterns };
};
const refused = (guards: readonly TextGuard[]): string =>
  throws(() => requireValidPolicy(aPolicy({ guards }), "policy.json"), "DOCUMENT_INVALID").message;

test("the default policy has no guards and answers requests with debug", () => {
  const policy = aPolicy();
  assert.is(requireValidPolicy(policy, "policy.json"), policy);
  assert.equal([policy.guards, policy.refuse_debug_in_production], [[], false]);
});

test("a tier that abstains is named for events only where events may be routed to it", () => {
  const policy = aPolicy({
    exact_events: { enabled: true, allowed_tiers: ["low"], abstaining_tiers: ["low", "high"] },
  });
  const { message } = throws(() => requireValidPolicy(policy, "policy.json"), "DOCUMENT_INVALID");
  assert.match(message, /abstaining_tiers names high, which is not in allowed_tiers/);
});

test("a policy may copy every shipped guard", () => {
  const wire = { ...defaultPolicy, guards: [openEndedEn1, multiActionEn1] };
  assert.equal(schemaProblems(RoutingPolicySchema, wire), []);
  const policy = wire;
  assert.is(requireValidPolicy(policy, "policy.json"), policy);
});

test("a pattern that needs more than linear time, or is none, is refused by position", () => {
  assert.match(refused([openEnded("fine", "(?=look)")]), "policy.json: mine-1: patterns[1] is refused");
  assert.match(refused([openEnded("(a)\\1")]), "patterns[0]");
  assert.match(refused([openEnded("[")]), "patterns[0]");
  assert.match(refused([openEnded("a)|(b")]), "patterns[0]");
});

test("patterns that cost too much together are refused", () => {
  assert.match(refused([openEnded("(?:[a-z]{1,30} ){1,30}")]), "too expensive");
});

test("two guards of one name are refused, and every problem is named", () => {
  const message = refused([openEnded("["), openEnded("(")]);
  assert.match(message, 'two guards are named "mine-1"');
  assert.is(message.split("; ").length, 3);
});

test("words are single, lower-case and listed once", () => {
  const withVerbs = (verbs: string[]) => ({ ...defaultPolicy, guards: [{ ...multiActionEn1, verbs }] });
  const good = withVerbs(["prüfe", "löschen", "削除"]);
  assert.is(requireValidPolicy(good, "policy.json"), good);
  for (const verb of ["Send", "send to", "send-to", " send", "!"]) {
    assert.match(refused(withVerbs([verb]).guards), `"${verb}" is not one lower-case word`);
  }
  for (const verbs of [["send", "send"], [""], []]) {
    assert.ok(schemaProblems(RoutingPolicySchema, withVerbs(verbs)).length > 0, verbs.join());
  }
});

test("the digest of the guards covers every word", () => {
  const one = multiActionEn1;
  if (one.kind !== "multi_action") throw new TypeError("not the guard of this test");
  const other = guardsIdentity([{ ...one, verbs: one.verbs.slice(1) }]);
  assert.equal(other.guard_ids, guardsIdentity([one]).guard_ids);
  assert.is.not(other.sha256, guardsIdentity([one]).sha256);
});
