import { parseTrustPolicy, requireCurrentTrust } from "../../../src/trust/trust-policy.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import type { TrustPolicy } from "../../../src/documents/signed.js";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import { assert, test, throws } from "../../support/test.js";
import { testNow, testSigner, testTrust, trustKey } from "../../support/builders-artifacts.js";

const parse = (policy: unknown) => parseTrustPolicy(canonicalBytes(policy));
const principal = (id: string, ...keys: TrustPolicy["principals"][number]["keys"]) => ({ id, display: id, keys });

test("the keys of all people are ready to verify with", () => {
  const trust = parse(testTrust());
  assert.equal(
    trust.keys.map((key) => key.principal),
    ["pam", "ana", "ana", "bob", "carl"],
  );
  assert.is(trust.keys[0]?.keyId, testSigner("pam").keyId);
  assert.is(trust.clockSkewMs, 60_000);
});

test("a policy is current until its end plus the clock skew", () => {
  const trust = parse({ ...testTrust(), expires: "2026-03-01T11:59:30Z" });
  requireCurrentTrust(trust, testNow);
  throws(() => requireCurrentTrust(trust, new Date("2026-03-01T12:00:30Z")), "EXPIRED");
});

const base = testTrust();
const [rule] = base.roles.approver;
const approver = (changes: object) => ({ ...base, roles: { ...base.roles, approver: [{ ...rule, ...changes }] } });
const added = (...people: readonly object[]) => ({ ...base, principals: [...base.principals, ...people] });

const limited = (limits: object) => ({ ...base, limits: { ...base.limits, ...limits } });

const refused: readonly (readonly [string, unknown, ErrorCode])[] = [
  ["one key twice of one person", added(principal("eve", trustKey("e"), trustKey("e"))), "TRUST_POLICY_INVALID"],
  ["a person listed twice", added(principal("ana", trustKey("other"))), "TRUST_POLICY_INVALID"],
  [
    "a key that ends before it begins",
    added(principal("eve", trustKey("e", { valid_until: "2025-01-01T00:00:00Z" }))),
    "TRUST_POLICY_INVALID",
  ],
  [
    "a date that does not exist",
    added(principal("eve", trustKey("e", { valid_until: "2026-02-30T00:00:00Z" }))),
    "DOCUMENT_INVALID",
  ],
  ["a key that is not base64", added(principal("eve", trustKey("e", { public_key: "*".repeat(44) }))), "NOT_CANONICAL"],
  ["a threshold of 0", approver({ threshold: 0 }), "TRUST_POLICY_INVALID"],
  ["a threshold above the number of people", approver({ threshold: 5 }), "TRUST_POLICY_INVALID"],
  ["more reproductions than approvals", approver({ require_reproduction: 3 }), "TRUST_POLICY_INVALID"],
  ["a negative number of reproductions", approver({ require_reproduction: -1 }), "TRUST_POLICY_INVALID"],
  ["a reproduction and a half", approver({ require_reproduction: 1.5 }), "TRUST_POLICY_INVALID"],
  ["an approver listed twice", approver({ principals: ["ana", "ana", "bob"] }), "TRUST_POLICY_INVALID"],
  ["an approver who is nobody", approver({ principals: ["ana", "bob", "eve"] }), "TRUST_POLICY_INVALID"],
  ["a producer who is nobody", { ...base, roles: { ...base.roles, producer: ["eve"] } }, "TRUST_POLICY_INVALID"],
  [
    "two rules for one environment",
    { ...base, roles: { ...base.roles, approver: [rule, rule] } },
    "TRUST_POLICY_INVALID",
  ],
  ["a person under a full-width name", added(principal("\uff50am", trustKey("e"))), "TRUST_POLICY_INVALID"],
  ["a person with a zero-width space", added(principal("p\u200bam", trustKey("e"))), "TRUST_POLICY_INVALID"],
  ["a person with a Hangul filler", added(principal("pam\u3164", trustKey("e"))), "TRUST_POLICY_INVALID"],
  ["a person whose name nobody sees", added(principal("\u2060", trustKey("e"))), "TRUST_POLICY_INVALID"],
  ["clocks that may differ by a day", limited({ clock_skew_sec: 86_400 }), "TRUST_POLICY_INVALID"],
  ["approvals that live for ten years", limited({ max_approval_days: 3650 }), "TRUST_POLICY_INVALID"],
  ["an unknown role", { ...base, roles: { ...base.roles, auditor: [] } }, "TRUST_POLICY_INVALID"],
  ["a time that is not UTC", { ...base, expires: "2026-12-01T00:00:00+01:00" }, "TRUST_POLICY_INVALID"],
];
for (const [name, policy, code] of refused) {
  test(`${name} is refused`, () => {
    throws(() => parse(policy), code);
  });
}

test("the largest accepted limits are 900 seconds and 366 days", () => {
  const { policy } = parse(limited({ clock_skew_sec: 900, max_approval_days: 366 }));
  assert.equal([policy.limits.clock_skew_sec, policy.limits.max_approval_days], [900, 366]);
  throws(() => parse(limited({ clock_skew_sec: 901 })), "TRUST_POLICY_INVALID");
  throws(() => parse(limited({ max_approval_days: 367 })), "TRUST_POLICY_INVALID");
});

test("a policy demands no reproduction unless it says so", () => {
  const demanded = (policy: Parameters<typeof parse>[0]) =>
    parse(policy).policy.roles.approver[0]?.require_reproduction;
  assert.equal([demanded(base), demanded(approver({ require_reproduction: 2 }))], [undefined, 2]);
});

test("the message names both people who read the same", () => {
  const { message } = throws(() => parse(added(principal("p\u200bam", trustKey("e")))), "TRUST_POLICY_INVALID");
  assert.match(message, '"pam" and "p\\u{200b}am" look the same and count as one person');
});
