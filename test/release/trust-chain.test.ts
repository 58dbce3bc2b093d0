import { openTrustUpdate, signTrustPolicy } from "../../release/trust-chain.js";
import { parseTrustPolicy } from "../../src/trust/trust-policy.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { type Envelope, statementPayloadType, type TrustPolicy } from "../../src/documents/signed.js";
import type { ErrorCode } from "../../src/base/error-codes.js";
import { assert, pluck, rejects, test, throws } from "../support/test.js";
import { testNow, testSigner, testTrust, trustKey } from "../support/builders-artifacts.js";

const current = parseTrustPolicy(canonicalBytes(testTrust()));

/** Version 2: dora replaces carl among the roots. */
function nextPolicy(changes: Partial<TrustPolicy> = {}): TrustPolicy {
  const base = testTrust();
  const dora = { id: "dora", display: "dora", keys: [trustKey("dora")] };
  return {
    ...base,
    version: 2,
    principals: [...base.principals, dora],
    roles: { ...base.roles, root: { threshold: 2, principals: ["ana", "bob", "dora"] } },
    ...changes,
  };
}

async function signedBy(names: readonly string[], policy: unknown = nextPolicy()): Promise<Buffer> {
  let bytes = canonicalBytes(policy);
  for (const name of names) bytes = await signTrustPolicy(bytes, testSigner(name));
  return bytes;
}

test("the next version is accepted when both thresholds signed it, as the exact payload", async () => {
  const { trust, policyBytes } = openTrustUpdate(await signedBy(["ana", "bob"]), current, testNow);
  assert.is(trust.policy.version, 2);
  assert.ok(policyBytes.equals(canonicalBytes(nextPolicy())));
});

test("a root of both and one of each side are enough", async () => {
  const { trust } = openTrustUpdate(await signedBy(["ana", "carl", "dora"]), current, testNow);
  assert.is(trust.policy.version, 2);
});

const shortfalls: readonly (readonly [string, readonly string[]])[] = [
  ["by new roots only", ["dora", "ana"]],
  ["by old roots only", ["carl", "ana"]],
  ["by one root", ["ana"]],
  ["by two keys of one root", ["ana", "ana-2"]],
  ["by somebody who is no root", ["ana", "pam"]],
  ["by a stranger", ["ana", "stranger"]],
];
for (const [name, signers] of shortfalls) {
  test(`case 44: a version signed ${name} is refused`, async () => {
    const bytes = await signedBy(signers);
    throws(() => openTrustUpdate(bytes, current, testNow), "TRUST_THRESHOLD");
  });
}

const versions: readonly (readonly [number, ErrorCode])[] = [
  [1, "VERSION_ROLLBACK"],
  [3, "TRUST_CHAIN_GAP"],
  [Number.MAX_SAFE_INTEGER, "TRUST_CHAIN_GAP"],
];
for (const [version, code] of versions) {
  test(`case 44: version ${version} after version 1 is refused`, async () => {
    const bytes = await signedBy(["ana", "bob"], nextPolicy({ version }));
    throws(() => openTrustUpdate(bytes, current, testNow), code);
  });
}

test("case 44: version 2^53 cannot be written down", async () => {
  await rejects(signedBy(["ana"], nextPolicy({ version: 2 ** 53 + 2 })), "TRUST_POLICY_INVALID");
});

test("case 44: a version that lowers the threshold still needs the old one", async () => {
  const base = nextPolicy();
  const lowered = { ...base, roles: { ...base.roles, root: { threshold: 1, principals: ["ana"] } } };
  const bytes = await signedBy(["ana"], lowered);
  throws(() => openTrustUpdate(bytes, current, testNow), "TRUST_THRESHOLD");
  assert.is(openTrustUpdate(await signedBy(["ana", "bob"], lowered), current, testNow).trust.policy.version, 2);
});

test("case 76: a version that drops the demand for a reproduction still needs the old roots", async () => {
  const { roles, ...rest } = testTrust();
  const approver = roles.approver.map((rule) => ({ ...rule, require_reproduction: 1 }));
  const demanding = parseTrustPolicy(canonicalBytes({ ...rest, roles: { ...roles, approver } }));
  const dropped = await signedBy(["ana"], nextPolicy());
  throws(() => openTrustUpdate(dropped, demanding, testNow), "TRUST_THRESHOLD");
});

for (const threshold of [0, 4]) {
  test(`case 44: a root threshold of ${threshold} of 3 people is refused`, async () => {
    const base = nextPolicy();
    const policy = { ...base, roles: { ...base.roles, root: { ...base.roles.root, threshold } } };
    await rejects(signedBy(["ana"], policy), "TRUST_POLICY_INVALID");
  });
}

test("case 45: a lost root key is replaced by the roots that are left", async () => {
  const base = testTrust();
  const principals = base.principals.map((p) => (p.id === "carl" ? { ...p, keys: [trustKey("carl-new")] } : p));
  const bytes = await signedBy(["ana", "bob"], { ...base, version: 2, principals });
  const { trust } = openTrustUpdate(bytes, current, testNow);
  assert.ok(trust.keys.some(({ keyId }) => keyId === testSigner("carl-new").keyId));
  assert.not.ok(trust.keys.some(({ keyId }) => keyId === testSigner("carl").keyId));
});

test("an expired root key does not count", async () => {
  const bytes = await signedBy(["ana", "bob"]);
  throws(() => openTrustUpdate(bytes, current, new Date("2027-02-01T00:00:00Z")), "TRUST_THRESHOLD");
});

test("signatures under the type of statements do not count", async () => {
  const envelope = JSON.parse((await signedBy(["ana", "bob"])).toString("utf8")) as Envelope;
  const moved = canonicalBytes({ ...envelope, payloadType: statementPayloadType });
  throws(() => openTrustUpdate(moved, current, testNow), "ENVELOPE_INVALID");
});

test("signing again replaces the signer's signature and leaves the others", async () => {
  const twice = JSON.parse((await signedBy(["ana", "bob", "ana"])).toString("utf8")) as Envelope;
  assert.equal(pluck(twice.signatures, "keyid"), [testSigner("bob").keyId, testSigner("ana").keyId]);
});
