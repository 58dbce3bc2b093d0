import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { signStatement } from "../../../release/signing/sign-statement.js";
import { parseTrustPolicy } from "../../../src/trust/trust-policy.js";
import { requireSuccessor, openRevocations } from "../../../src/trust/verify/revocations.js";
import type { BundleProblem } from "../../../src/trust/verify/problem.js";
import { claimDigests } from "../../../src/trust/verify/open-manifest.js";
import { verifyBundle } from "../../../src/trust/verify/verify-bundle.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import { sha256Hex, type Sha256 } from "../../../src/base/sha256.js";
import {
  type Approval,
  predicateTypes,
  type RevocationKind,
  type Statement,
  type TrustPolicy,
} from "../../../src/documents/signed.js";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import { assert, inTemporaryFolder, pluck, rejects, test, throws } from "../../support/test.js";
import {
  type BuiltBundle,
  testApproval,
  testEnvironment,
  testFiles,
  testManifest,
  testNow,
  testReproduction,
  testRevocations,
  testSigner,
  testTrust,
  trustWithRevocations,
  writeTestBundle,
} from "../../support/builders-artifacts.js";

/**
 * The attack cases on policy, time, revocation and rejection, numbered as in the list of attacks: 38 to 47. Case 41 is
 * in revocation-watch.test.ts, case 44 in trust-chain.test.ts, case 48 in test/src/router/bundle-identities.test.ts,
 * case 49 in test/src/router/runtime.test.ts; cases 50 to 65 belong to the history.
 */

interface Judged {
  readonly trust?: TrustPolicy;
  readonly now?: Date;
  readonly revocationBytes?: Uint8Array;
  readonly environment?: string;
}

const verify = (directory: string, { trust = testTrust(), now = testNow, ...more }: Judged = {}) =>
  verifyBundle({ directory, trustPolicyBytes: canonicalBytes(trust), environment: testEnvironment, now, ...more });

function attack(name: string, run: (bundle: BuiltBundle) => Promise<void>): void {
  test(name, () =>
    inTemporaryFolder(async (folder) => {
      const built = await writeTestBundle(join(folder, "bundle"));
      await verify(built.directory);
      await run(built);
    }),
  );
}

async function codes(promise: Promise<unknown>, first: ErrorCode): Promise<readonly string[]> {
  const error = await rejects(promise, first);
  const found = error.details?.["problems"] as readonly BundleProblem[];
  return found.map(({ code }) => code);
}

/** Exchanges bob's approval, as a person with write access to the bundle could. */
async function withApproval(built: BuiltBundle, changes: Partial<Approval>, by = "bob"): Promise<void> {
  withEnvelope(built, (await testApproval(built.bundleId, by, changes)).envelopeBytes);
}

function withEnvelope(built: BuiltBundle, envelopeBytes: Buffer): void {
  const path = "approvals/bob.dsse.json";
  writeFileSync(join(built.directory, path), envelopeBytes);
  const files = built.files.map((entry) =>
    entry.path === path ? { path, size: envelopeBytes.length, sha256: sha256Hex(envelopeBytes) } : entry,
  );
  const index = { schema_version: 1, bundle_id: built.bundleId, files };
  writeFileSync(join(built.directory, "bundle.json"), canonicalBytes(index));
}

const dates: readonly (readonly [string, Partial<Approval>, ErrorCode])[] = [
  ["has expired", { expires: "2026-03-01T11:58:00Z" }, "EXPIRED"],
  ["begins later", { not_before: "2026-03-01T12:02:00Z" }, "NOT_YET_VALID"],
  ["lives too long", { expires: "2026-05-31T00:00:00Z" }, "VALIDITY_INVALID"],
];
for (const [name, changes, code] of dates) {
  attack(`case 38: an approval that ${name} does not count`, async (built) => {
    await withApproval(built, changes);
    const { details } = await rejects(verify(built.directory), code);
    const [problem, ...others] = (details?.["problems"] ?? []) as readonly BundleProblem[];
    assert.equal([problem?.code, ...others.map((other) => other.code)], [code, "THRESHOLD_NOT_MET"]);
    assert.match(problem?.message ?? "", "approvals/bob.dsse.json");
  });
}

test("case 38: an approval that ends before it begins is not even signed", async () => {
  await rejects(testApproval(sha256Hex("x"), "bob", { expires: "2026-02-01T00:00:00Z" }), "VALIDITY_INVALID");
});

attack("case 38: an expired policy and an expired key refuse", async ({ directory }) => {
  await rejects(verify(directory, { trust: { ...testTrust(), expires: "2026-02-01T00:00:00Z" } }), "EXPIRED");
  const base = testTrust();
  const ended = base.principals.map((p) =>
    p.id === "pam" ? { ...p, keys: p.keys.map((key) => ({ ...key, valid_until: "2026-02-01T00:00:00Z" })) } : p,
  );
  await rejects(verify(directory, { trust: { ...base, principals: ended } }), "EXPIRED");
});

attack("case 39: a clock that is a day off, in either direction, refuses what is not valid then", async (built) => {
  await withApproval(built, { expires: "2026-03-02T00:00:00Z" });
  await verify(built.directory);
  const later = verify(built.directory, { now: new Date("2026-03-02T12:00:00Z") });
  assert.equal(await codes(later, "EXPIRED"), ["EXPIRED", "THRESHOLD_NOT_MET"]);
  const earlier = verify(built.directory, { now: new Date("2026-02-28T12:00:00Z") });
  assert.equal(await codes(earlier, "NOT_YET_VALID"), ["NOT_YET_VALID", "NOT_YET_VALID", "THRESHOLD_NOT_MET"]);
});

for (const time of [
  "2026-03-01T00:00:00+00:00",
  "2026-03-01T00:00:00.000Z",
  "2026-03-01 00:00:00Z",
  "2026-03-01T00:00Z",
  "2026-02-30T00:00:00Z",
  "2026-03-01T23:59:60Z",
  "2026-03-01T24:00:00Z",
]) {
  test(`case 39: the time ${time} is refused`, async () => {
    await rejects(testApproval(sha256Hex("x"), "bob", { not_before: time }), "DOCUMENT_INVALID");
  });
}

const payloadDigest = async (bundleId: string, name: string) => sha256Hex((await testApproval(bundleId, name)).payload);

const targets: readonly (readonly [
  string,
  (built: BuiltBundle) => Promise<readonly [RevocationKind, string]>,
  readonly string[],
])[] = [
  ["bundle", async ({ bundleId }) => ["bundle", bundleId], ["REVOKED"]],
  [
    "approval",
    async ({ bundleId }) => ["approval", await payloadDigest(bundleId, "bob")],
    ["REVOKED", "THRESHOLD_NOT_MET"],
  ],
  [
    "catalog",
    async ({ files }) => ["artifact", files.find((f) => f.path === "catalog.yaml")?.sha256 ?? ""],
    ["REVOKED"],
  ],
  [
    "model file",
    async ({ files }) => ["artifact", files.find((f) => f.path.endsWith("model.onnx"))?.sha256 ?? ""],
    ["REVOKED"],
  ],
  ["producer's key", async () => ["key", testSigner("pam").keyId], ["REVOKED"]],
  ["approver's key", async () => ["key", testSigner("bob").keyId], ["REVOKED", "THRESHOLD_NOT_MET"]],
];
for (const [name, target, expected] of targets) {
  attack(`case 40: a revoked ${name} refuses the bundle`, async (built) => {
    const [kind, sha256] = await target(built);
    const revocationBytes = await testRevocations([{ kind, sha256: sha256 as Sha256 }]);
    assert.equal(await codes(verify(built.directory, { revocationBytes }), "REVOKED"), expected);
    const other = await testRevocations([{ kind, sha256: sha256Hex("something else") }]);
    await verify(built.directory, { revocationBytes: other });
  });
}

attack("case 40: an approval in a new envelope stays revoked", async (built) => {
  const { envelope, payload } = await testApproval(built.bundleId, "bob");
  const revocationBytes = await testRevocations([{ kind: "approval", sha256: sha256Hex(payload) }]);
  const bytes = canonicalBytes({ ...envelope, comment: "another envelope" });
  const path = "approvals/bob.dsse.json";
  writeFileSync(join(built.directory, path), bytes);
  const files = built.files.map((f) => (f.path === path ? { path, size: bytes.length, sha256: sha256Hex(bytes) } : f));
  writeFileSync(
    join(built.directory, "bundle.json"),
    canonicalBytes({ schema_version: 1, bundle_id: built.bundleId, files }),
  );
  await verify(built.directory);
  await rejects(verify(built.directory, { revocationBytes }), "REVOKED");
});

attack("case 40: a rejection by a revoked key does not block", async (built) => {
  await withApproval(built, { decision: "reject" });
  await rejects(verify(built.directory), "REJECTED_BY_APPROVER");
  const revocationBytes = await testRevocations([{ kind: "key", sha256: testSigner("bob").keyId }]);
  assert.equal(await codes(verify(built.directory, { revocationBytes }), "REVOKED"), ["REVOKED", "THRESHOLD_NOT_MET"]);
});

attack("a list that does not verify refuses the bundle", async ({ directory }) => {
  const garbled: readonly (readonly [Promise<Uint8Array>, ErrorCode])[] = [
    [testRevocations([], { revoker: "carl" }, "carl"), "ROLE_MISMATCH"],
    [testRevocations([], {}, "bob"), "ROLE_MISMATCH"],
    [testRevocations([], {}, "stranger"), "SIGNATURE_INVALID"],
    [testRevocations([], { issued_at: "2026-03-01T12:02:00Z" }), "NOT_YET_VALID"],
    [Promise.resolve(Buffer.from("{}")), "ENVELOPE_INVALID"],
  ];
  for (const [bytes, code] of garbled) {
    await rejects(verify(directory, { revocationBytes: await bytes }), code);
  }
});

attack("where the policy demands a list, none and an old one refuse; where not, an old one is used", async (built) => {
  const { directory } = built;
  await rejects(verify(directory, { trust: trustWithRevocations() }), "REVOCATIONS_STALE");
  const now = new Date("2026-03-15T00:01:00Z");
  const list = await testRevocations([]);
  await rejects(verify(directory, { trust: trustWithRevocations(), revocationBytes: list, now }), "REVOCATIONS_STALE");
  const fresh = await verify(directory, { trust: trustWithRevocations(), revocationBytes: list });
  assert.equal(fresh.end, { at: Date.parse("2026-03-15T00:01:00.000Z"), of: "revocation list" });
  await verify(directory, { revocationBytes: list, now });
});

test("a list supersedes another only with a larger number, all its entries, and a key that is not revoked", async () => {
  const trust = parseTrustPolicy(canonicalBytes(testTrust()));
  const gone = { kind: "bundle", sha256: sha256Hex("x") } as const;
  const key = { kind: "key", sha256: testSigner("ana").keyId } as const;
  const list = async (...args: Parameters<typeof testRevocations>) =>
    openRevocations(await testRevocations(...args), trust, testNow, "revocations");
  const before = await list([gone, key], { sequence: 3 });
  requireSuccessor(before, before);
  requireSuccessor(before, await list([gone, key], { sequence: 4, revoker: "bob" }, "bob"));
  const older = await list([gone, key], { sequence: 2 });
  const lacking = await list([key], { sequence: 4 });
  const byRevoked = await list([gone, key], { sequence: 4 });
  throws(() => requireSuccessor(before, older), "VERSION_ROLLBACK");
  throws(() => requireSuccessor(before, lacking), "VERSION_ROLLBACK");
  throws(() => requireSuccessor(before, byRevoked), "REVOKED");
});

test("case 75: a list may skip 10,000 numbers and not one more, so that no list uses them all up", async () => {
  const trust = parseTrustPolicy(canonicalBytes(testTrust()));
  const list = async (sequence: number) =>
    openRevocations(await testRevocations([], { sequence }), trust, testNow, "revocations");
  const before = await list(3);
  requireSuccessor(before, await list(10_003));
  const [jumped, last] = [await list(10_004), await list(Number.MAX_SAFE_INTEGER)];
  const { message } = throws(() => requireSuccessor(before, jumped), "REVOCATIONS_JUMP");
  assert.match(message, "revocation list 10004 follows list 3, at most 10000 numbers may be skipped");
  throws(() => requireSuccessor(before, last), "REVOCATIONS_JUMP");
});

attack("case 46: one rejection blocks enough approvals", async (built) => {
  await withApproval(built, { decision: "reject" });
  assert.equal(await codes(verify(built.directory), "REJECTED_BY_APPROVER"), [
    "REJECTED_BY_APPROVER",
    "THRESHOLD_NOT_MET",
  ]);
});

attack(
  "case 45 and 47: approvals outlive a new policy while their signers stay approvers with those keys",
  async (built) => {
    const next = { ...testTrust(), version: 2 };
    await verify(built.directory, { trust: next });
    const approver = next.roles.approver.map((rule) => ({ ...rule, principals: ["ana", "carl"] }));
    const without = { ...next, roles: { ...next.roles, approver } };
    assert.equal(await codes(verify(built.directory, { trust: without }), "ROLE_MISMATCH"), [
      "ROLE_MISMATCH",
      "THRESHOLD_NOT_MET",
    ]);
  },
);

/** `testTrust`, which demands that one approval states an equal reproduction. */
function trustWithReproduction(): TrustPolicy {
  const { roles, ...trust } = testTrust();
  return { ...trust, roles: { ...roles, approver: roles.approver.map((r) => ({ ...r, require_reproduction: 1 })) } };
}

const claimOf = (files: ReadonlyMap<string, Buffer>) => claimDigests(testManifest(files));

attack("case 76: the demanded reproduction lets the bundle load, and without it nothing does", async (built) => {
  const trust = trustWithReproduction();
  assert.equal(await codes(verify(built.directory, { trust }), "REPRODUCTION_MISSING"), ["REPRODUCTION_MISSING"]);
  await withApproval(built, { reproduction: testReproduction(claimOf(testFiles())) });
  const { approvals } = await verify(built.directory, { trust });
  assert.equal(pluck(approvals.derived, "approver"), ["bob"]);
});

const edits: readonly (readonly [string, (predicate: Approval) => object])[] = [
  ["added to", (predicate) => ({ ...predicate, reproduction: testReproduction(claimOf(testFiles())) })],
  ["taken out of", ({ reproduction, ...predicate }) => (reproduction === undefined ? {} : predicate)],
  ["edited in", (predicate) => ({ ...predicate, reproduction: { ...predicate.reproduction, from: "scores" } })],
];
for (const [name, edit] of edits) {
  attack(`case 76: a reproduction that is ${name} a signed approval breaks its signature`, async (built) => {
    const stated = name === "added to" ? {} : { reproduction: testReproduction(claimOf(testFiles())) };
    const { envelope, payload } = await testApproval(built.bundleId, "bob", stated);
    const statement = JSON.parse(payload.toString("utf8")) as { readonly predicate: Approval };
    const edited = canonicalBytes({ ...statement, predicate: edit(statement.predicate) }).toString("base64");
    withEnvelope(built, canonicalBytes({ ...envelope, payload: edited }));
    const found = await codes(verify(built.directory, { trust: trustWithReproduction() }), "SIGNATURE_INVALID");
    assert.equal(found, ["SIGNATURE_INVALID", "THRESHOLD_NOT_MET", "REPRODUCTION_MISSING"]);
  });
}

attack("case 76: the reproduction of another bundle's claim does not count, nor does its approval", async (built) => {
  const other = testFiles().set("calibration.json", Buffer.from('{"calibration_version":"c2"}'));
  const another = { ...claimOf(testFiles()), evaluation: sha256Hex("another evaluation") };
  for (const claim of [claimOf(other), another]) {
    await withApproval(built, { reproduction: testReproduction(claim) });
    const found = await codes(verify(built.directory, { trust: trustWithReproduction() }), "IDENTITY_MISMATCH");
    assert.equal(found, ["IDENTITY_MISMATCH", "THRESHOLD_NOT_MET", "REPRODUCTION_MISSING"]);
    await rejects(verify(built.directory), "IDENTITY_MISMATCH");
  }
});

attack("case 76: the reproduction of the producer is none", async (built) => {
  await withApproval(built, { reproduction: testReproduction(claimOf(testFiles())) }, "pam");
  const found = await codes(verify(built.directory, { trust: trustWithReproduction() }), "APPROVAL_NOT_COUNTED");
  assert.equal(found, ["APPROVAL_NOT_COUNTED", "THRESHOLD_NOT_MET", "REPRODUCTION_MISSING"]);
});

const tricks: readonly (readonly [string, object, string, ErrorCode])[] = [
  ["of a later version", {}, "https://sluice.dev/approval/v2", "ENVELOPE_INVALID"],
  ["with a field that nobody knows", { equal: true }, predicateTypes.approval, "DOCUMENT_INVALID"],
  ["from nowhere", { from: "memory" }, predicateTypes.approval, "DOCUMENT_INVALID"],
  ["without a digest", { evaluation_sha256: null }, predicateTypes.approval, "DOCUMENT_INVALID"],
];
for (const [name, changes, predicateType, code] of tricks) {
  attack(`case 76: a reproduction ${name} is refused`, async (built) => {
    const { payload } = await testApproval(built.bundleId, "bob");
    const statement = JSON.parse(payload.toString("utf8")) as Statement & { readonly predicate: object };
    const reproduction = { ...testReproduction(claimOf(testFiles())), ...changes };
    const forged = { ...statement, predicateType, predicate: { ...statement.predicate, reproduction } };
    withEnvelope(built, (await signStatement(forged, testSigner("bob"))).envelopeBytes);
    const found = await codes(verify(built.directory, { trust: trustWithReproduction() }), code);
    assert.equal(found, [code, "THRESHOLD_NOT_MET", "REPRODUCTION_MISSING"]);
  });
}
