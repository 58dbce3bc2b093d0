import type { BundleId } from "../../../../src/documents/primitives.js";
import type { SignedStatement } from "../../../../release/signing/sign-statement.js";
import { parseTrustPolicy } from "../../../../src/trust/trust-policy.js";
import { countApprovals } from "../../../../src/trust/verify/count-approvals.js";
import { canonicalBytes } from "../../../../src/base/canonical-json.js";
import { sha256Hex } from "../../../../src/base/sha256.js";
import type { Approval } from "../../../../src/documents/signed.js";
import { assert, test } from "../../../support/test.js";
import {
  testApproval,
  testClaim,
  testEnvironment,
  testNow,
  testReproduction,
  testTrust,
} from "../../../support/builders-artifacts.js";

const bundleId = sha256Hex("a manifest");

interface Options {
  readonly now?: Date;
  readonly trust?: ReturnType<typeof testTrust>;
}

async function count(approvals: readonly Promise<SignedStatement>[], options: Options = {}) {
  const signed = await Promise.all(approvals);
  return countApprovals(new Map(signed.map(({ envelopeBytes }, i) => [`approvals/${i}.dsse.json`, envelopeBytes])), {
    trust: parseTrustPolicy(canonicalBytes(options.trust ?? testTrust())),
    bundleId: bundleId as BundleId,
    producers: new Set(["pam"]),
    claim: testClaim,
    environment: testEnvironment,
    now: options.now ?? testNow,
    isRevoked: () => false,
  });
}

const approve = (name: string, changes: Partial<Approval> = {}, keyName = name) =>
  testApproval(bundleId, name, changes, keyName);
const reject = (name: string, changes: Partial<Approval> = {}) => approve(name, { decision: "reject", ...changes });
const codes = (problems: readonly { readonly code: string }[]) => problems.map((p) => p.code);

test("two people are enough, and the earlier end of the needed ones bounds the approval", async () => {
  const result = await count([approve("ana"), approve("bob", { expires: "2026-03-10T00:00:00Z" })]);
  assert.equal(result.problems, []);
  assert.is(result.counted.length, 2);
  assert.is(new Date(result.endsAt ?? 0).toISOString(), "2026-03-10T00:01:00.000Z");
});

test("a third approval carries the bundle beyond the end of the first", async () => {
  const bob = approve("bob", { expires: "2026-03-10T00:00:00Z" });
  const result = await count([approve("ana"), bob, approve("carl", { expires: "2026-03-20T00:00:00Z" })]);
  assert.is(new Date(result.endsAt ?? 0).toISOString(), "2026-03-20T00:01:00.000Z");
});

test("no approval at all is reported with the number", async () => {
  const result = await count([]);
  assert.equal(result.problems, [
    {
      code: "THRESHOLD_NOT_MET",
      file: "approvals",
      message: "0 of 2 required approvals; missing: 2; can still sign: ana, bob, carl",
    },
  ]);
  assert.is(result.endsAt, null);
});

test("one person counts once, whatever envelopes and keys are used", async () => {
  for (const second of [approve("ana"), approve("ana", { reason: "again" }), approve("ana", {}, "ana-2")]) {
    const result = await count([approve("ana"), second]);
    assert.equal(codes(result.problems), ["THRESHOLD_NOT_MET"]);
    const message = "1 of 2 required approvals (ana); missing: 1; can still sign: bob, carl";
    assert.is(result.problems[0]?.message, message);
  }
});

test("a signer cannot approve in the name of somebody else", async () => {
  const result = await count([approve("ana"), approve("bob", {}, "ana")]);
  assert.equal(codes(result.problems), ["SIGNATURE_INVALID", "THRESHOLD_NOT_MET"]);
});

test("a person without the role does not count", async () => {
  const trust = testTrust();
  const approver = trust.roles.approver.map((rule) => ({ ...rule, principals: ["ana", "bob"] }));
  const result = await count([approve("ana"), approve("carl")], {
    trust: { ...trust, roles: { ...trust.roles, approver } },
  });
  assert.equal(codes(result.problems), ["ROLE_MISMATCH", "THRESHOLD_NOT_MET"]);
});

test("the clock may be wrong by the skew of the policy", async () => {
  const late = await count([approve("ana"), approve("bob", { expires: "2026-03-01T11:59:30Z" })]);
  const early = await count([approve("ana"), approve("bob", { not_before: "2026-03-01T12:00:30Z" })]);
  const exactly = await count([approve("ana"), approve("bob", { expires: "2026-05-30T00:00:00Z" })]);
  assert.equal([...late.problems, ...early.problems, ...exactly.problems], []);
});

test("a key outside its validity does not count, and a key's end bounds the approval", async () => {
  const trust = testTrust();
  const until = (moment: string) => ({
    ...trust,
    principals: trust.principals.map((p) =>
      p.id === "bob" ? { ...p, keys: p.keys.map((k) => ({ ...k, valid_until: moment })) } : p,
    ),
  });
  const both = [approve("ana"), approve("bob")];
  const expired = await count(both, { trust: until("2026-02-01T00:00:00Z") });
  assert.equal(codes(expired.problems), ["EXPIRED", "THRESHOLD_NOT_MET"]);
  const bounded = await count(both, { trust: until("2026-03-03T00:00:00Z") });
  assert.is(new Date(bounded.endsAt ?? 0).toISOString(), "2026-03-03T00:01:00.000Z");
});

test("envelopes that do not count leave enough others in force", async () => {
  const result = await count([approve("ana"), approve("bob"), approve("carl", { environment: "staging" })]);
  assert.equal(result.problems, []);
  assert.equal(codes(result.refusals), ["APPROVAL_MISMATCH"]);
});

test("a rejection by an approver blocks, also after its end", async () => {
  for (const expires of ["2026-04-01T00:00:00Z", "2026-03-01T01:00:00Z"]) {
    const result = await count([approve("ana"), approve("bob"), reject("carl", { expires })]);
    assert.equal(codes(result.problems), ["REJECTED_BY_APPROVER"]);
    assert.is(result.endsAt, null);
  }
});

test("a rejection by the producer, for another environment or by a stranger does not block", async () => {
  const harmless = [reject("pam"), reject("carl", { environment: "staging" }), approve("carl", {}, "stranger")];
  for (const rejection of harmless) {
    assert.equal((await count([approve("ana"), approve("bob"), rejection])).problems, []);
  }
});

test("a later approval by the same person lifts a rejection, an earlier one does not", async () => {
  const rejection = reject("ana", { not_before: "2026-03-01T06:00:00Z" });
  const later = approve("ana", { not_before: "2026-03-01T07:00:00Z" });
  assert.equal((await count([rejection, later, approve("bob")])).problems, []);
  const earlier = await count([approve("ana"), rejection, approve("bob")]);
  assert.equal(codes(earlier.problems), ["REJECTED_BY_APPROVER"]);
});

test("a garbled envelope is named and the others count", async () => {
  const ana = await approve("ana");
  const broken = { ...ana, envelopeBytes: ana.envelopeBytes.subarray(2) };
  const result = await count([Promise.resolve(broken), approve("bob")]);
  assert.equal(codes(result.problems), ["NOT_CANONICAL", "THRESHOLD_NOT_MET"]);
  assert.match(result.problems[1]?.message ?? "", /^1 of 2 required approvals \(bob\)/);
});

test("every envelope that does not count is named, with the reason", async () => {
  const renewal = approve("ana", { expires: "2026-04-02T00:00:00Z" });
  const { notCounted, canSign } = await count([
    approve("ana"),
    renewal,
    approve("pam"),
    approve("bob", {}, "stranger"),
  ]);
  assert.equal(
    notCounted.map(({ code, file }) => `${file.slice(10, 11)} ${code}`),
    ["0 APPROVAL_NOT_COUNTED", "2 APPROVAL_NOT_COUNTED", "3 SIGNATURE_INVALID"],
  );
  assert.equal(canSign, ["bob", "carl"]);
});

test("who holds no valid key, or only revoked ones, is not among those who can still sign", async () => {
  const base = testTrust();
  const principals = base.principals.map((person) =>
    person.id === "bob"
      ? { ...person, keys: person.keys.map((key) => ({ ...key, valid_until: "2026-02-01T00:00:00Z" })) }
      : person,
  );
  const { canSign, problems } = await count([approve("ana")], { trust: { ...base, principals } });
  assert.equal(canSign, ["carl"]);
  assert.match(problems.at(-1)?.message ?? "", "can still sign: carl");
});

test("more than 128 approvals are refused as a whole before one of them is read", async () => {
  const ana = await approve("ana");
  const many = Array.from({ length: 129 }, () => Promise.resolve(ana));
  const { counted, problems } = await count(many);
  assert.equal(counted, []);
  assert.equal(codes(problems), ["FILE_REFUSED", "THRESHOLD_NOT_MET"]);
  assert.match(problems[0]?.message ?? "", "129 approvals and rejections, at most 128 are accepted");
  assert.equal(codes((await count(many.slice(1))).problems), ["THRESHOLD_NOT_MET"]);
});

test("an approval of more than 64 KiB is refused before it is read", async () => {
  const ana = await approve("ana");
  const padded = { ...ana, envelopeBytes: Buffer.concat([ana.envelopeBytes, Buffer.alloc(65_536)]) };
  const { refusals } = await count([Promise.resolve(padded), approve("bob")]);
  assert.equal(codes(refusals), ["TOO_LARGE"]);
});

/** The policy, with that many reproductions demanded. */
function demanding(reproductions: number): ReturnType<typeof testTrust> {
  const { roles, ...trust } = testTrust();
  const approver = roles.approver.map((rule) => ({ ...rule, require_reproduction: reproductions }));
  return { ...trust, roles: { ...roles, approver } };
}

const derive = (name: string, changes: Partial<Approval> = {}) =>
  approve(name, { reproduction: testReproduction(), ...changes });

test("a reproduction that the policy demands must be stated by as many people, and its end bounds the approval", async () => {
  const [ana, bob] = [approve("ana"), approve("bob")];
  const trust = demanding(1);
  const without = await count([ana, bob], { trust });
  assert.equal(codes(without.problems), ["REPRODUCTION_MISSING"]);
  assert.is(
    without.problems[0]?.message,
    "2 of 2 required approvals (ana, bob); missing: 0; 0 of 1 required reproductions; can still sign: ana, bob, carl",
  );
  const soon = derive("bob", { expires: "2026-03-10T00:00:00Z" });
  const result = await count([ana, bob, soon], { trust });
  assert.equal([...result.problems, ...result.notCounted], []);
  assert.equal(result.canSign, ["carl"]);
  assert.is(new Date(result.endsAt ?? 0).toISOString(), "2026-03-10T00:01:00.000Z");
  const twice = await count([ana, derive("bob"), derive("bob", { reason: "again" })], { trust: demanding(2) });
  assert.equal(codes(twice.problems), ["REPRODUCTION_MISSING"]);
});

test("a policy that demands nothing counts approvals with and without a reproduction alike", async () => {
  const result = await count([approve("ana"), derive("bob")]);
  assert.equal(result.problems, []);
  assert.equal(
    result.derived.map(({ approver, reproduction }) => [approver, reproduction?.from]),
    [["bob", "records"]],
  );
});

test("a reproduction that is stated in a rejection is none", async () => {
  const trust = demanding(1);
  const rejected = await count([approve("ana"), approve("bob"), derive("carl", { decision: "reject" })], { trust });
  assert.equal(codes(rejected.problems), ["REJECTED_BY_APPROVER", "REPRODUCTION_MISSING"]);
});
