import { generateKeyPairSync } from "node:crypto";
import type { BundleId } from "../../../src/documents/primitives.js";
import { decodeBase64 } from "../../../src/trust/base64.js";
import { preAuthEncoding, openEnvelope } from "../../../src/trust/verify/open-envelope.js";
import {
  publicKeyFromPem,
  publicKeyFromRaw,
  publicKeyToPem,
  verifiesSignature,
} from "../../../src/trust/public-key.js";
import { parseTrustPolicy } from "../../../src/trust/trust-policy.js";
import { countApprovals } from "../../../src/trust/verify/count-approvals.js";
import { openManifest } from "../../../src/trust/verify/open-manifest.js";
import { manifestStatement } from "../../../release/signing/statements.js";
import { signStatement } from "../../../release/signing/sign-statement.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import { sha256Hex, type Sha256 } from "../../../src/base/sha256.js";
import { predicateTypes, statementPayloadType, type TrustPolicy } from "../../../src/documents/signed.js";
import { assert, pluck, test, throws } from "../../support/test.js";
import {
  signedEnvelope,
  testApproval,
  testClaim,
  testEnvironment,
  testFiles,
  testManifest,
  testNow,
  testSigner,
  testTrust,
  trustKey,
} from "../../support/builders-artifacts.js";
import { bundleIdOf } from "../../../src/trust/statements.js";

/** The attack cases on envelopes, signatures and keys, numbered as in the list of attacks: 18 to 30. */

const bundleId = sha256Hex("a manifest") as BundleId;
const trust = parseTrustPolicy(canonicalBytes(testTrust()));
const approval = await testApproval(bundleId, "ana");
const bob = await testApproval(bundleId, "bob");
const firstSignature = approval.envelope.signatures[0] ?? { keyid: "", sig: "" };

const open = (bytes: Uint8Array) => openEnvelope(bytes, predicateTypes.approval, trust.keys, "approval");
const changed = (changes: object): Buffer => canonicalBytes({ ...approval.envelope, ...changes });

interface Counting {
  readonly policy?: TrustPolicy;
  readonly environment?: string;
}

function count(
  envelopes: readonly Uint8Array[],
  { policy = testTrust(), environment = testEnvironment }: Counting = {},
) {
  const files = new Map(envelopes.map((bytes, i) => [`approvals/${i}.dsse.json`, bytes]));
  const question = {
    bundleId,
    producers: new Set(["pam"]),
    claim: testClaim,
    environment,
    now: testNow,
    isRevoked: () => false,
  };
  return countApprovals(files, { ...question, trust: parseTrustPolicy(canonicalBytes(policy)) });
}
const codes = (problems: readonly { readonly code: string }[]): readonly string[] => problems.map(({ code }) => code);

test("case 18: another payload type is refused, and a signature moved between types does not verify", async () => {
  throws(() => open(changed({ payloadType: "application/json" })), "ENVELOPE_INVALID");
  const moved = await signedEnvelope("ana", approval.payload, "application/json");
  throws(() => open(canonicalBytes({ ...moved, payloadType: statementPayloadType })), "SIGNATURE_INVALID");
});

test("case 18: a letter whose low byte is another letter is not that letter", async () => {
  const confused = statementPayloadType.replace("t", "\u0174");
  throws(() => open(changed({ payloadType: confused })), "ENVELOPE_INVALID");
  assert.not.ok(
    preAuthEncoding(confused, approval.payload).equals(preAuthEncoding(statementPayloadType, approval.payload)),
  );
  const moved = await signedEnvelope("ana", approval.payload, confused);
  throws(() => open(canonicalBytes({ ...moved, payloadType: statementPayloadType })), "SIGNATURE_INVALID");
});

test("case 19: a type that holds the length of the body does not verify as the shorter type", async () => {
  const body = approval.payload;
  const imitating = `${statementPayloadType} ${body.length}`;
  const moved = await signedEnvelope("ana", body, imitating);
  throws(() => open(canonicalBytes({ ...moved, payloadType: statementPayloadType })), "SIGNATURE_INVALID");
  throws(() => open(canonicalBytes(moved)), "ENVELOPE_INVALID");
});

test("case 20: no signature, no approval", () => {
  throws(() => open(changed({ signatures: [] })), "SIGNATURE_INVALID");
  assert.equal(codes(count([]).problems), ["THRESHOLD_NOT_MET"]);
});

test("case 20: 10,000 signatures are refused without trying one", () => {
  const signatures = Array.from({ length: 10_000 }, () => ({ keyid: "", sig: "" }));
  const begin = performance.now();
  throws(() => open(changed({ signatures })), "ENVELOPE_INVALID");
  assert.ok(performance.now() - begin < 1000);
});

test("case 73: 64 signatures by keys of nobody are not tried, and 500 such approvals are refused unread", () => {
  const foreign = Array.from({ length: 63 }, (_, i) => ({ ...firstSignature, keyid: sha256Hex(`stranger ${i}`) }));
  const junk = changed({ signatures: [{ keyid: "", sig: Buffer.alloc(64, 1).toString("base64") }, ...foreign] });
  throws(() => open(junk), "SIGNATURE_INVALID");
  const few = count([approval.envelopeBytes, bob.envelopeBytes, ...Array.from({ length: 126 }, () => junk)]);
  assert.equal([few.problems, few.refusals.length], [[], 126]);
  const many = count([approval.envelopeBytes, bob.envelopeBytes, ...Array.from({ length: 498 }, () => junk)]);
  assert.equal(codes(many.problems), ["FILE_REFUSED", "THRESHOLD_NOT_MET"]);
});

for (const [name, keyid] of [
  ["lies", testSigner("bob").keyId],
  ["is unknown", "0".repeat(64)],
] as const) {
  test(`case 21: a key id that ${name} makes its signature worthless`, () => {
    throws(() => open(changed({ signatures: [{ ...firstSignature, keyid }] })), "SIGNATURE_INVALID");
  });
}

test("a signature with an empty key id, as other DSSE tools write it, is tried with each key", () => {
  const { signers } = open(changed({ signatures: [{ ...firstSignature, keyid: "" }] }));
  assert.equal(pluck(signers, "keyId"), [firstSignature.keyid]);
});

test("case 21: an absent key id is refused by the schema", () => {
  throws(() => open(changed({ signatures: [{ sig: firstSignature.sig }] })), "ENVELOPE_INVALID");
});

test("case 22: the same signature twice, and under two key ids, counts once", () => {
  for (const keyid of [firstSignature.keyid, testSigner("bob").keyId]) {
    const twice = changed({ signatures: [firstSignature, { ...firstSignature, keyid }] });
    assert.is(open(twice).signers.length, 1);
    assert.equal(codes(count([twice, twice]).problems), ["THRESHOLD_NOT_MET"]);
  }
});

test("case 22: one key under two ids or two people is refused by the policy", () => {
  const base = testTrust();
  const person = (id: string, key: ReturnType<typeof trustKey>) => ({ id, display: id, keys: [key] });
  for (const key of [trustKey("ana"), trustKey("ana", { key_id: "1".repeat(64) as Sha256 })]) {
    const policy = { ...base, principals: [...base.principals, person("eve", key)] };
    throws(() => parseTrustPolicy(canonicalBytes(policy)), "TRUST_POLICY_INVALID");
  }
});

test("case 22: two keys of one person count once, in two envelopes and in one", async () => {
  const second = await testApproval(bundleId, "ana", {}, "ana-2");
  assert.equal(codes(count([approval.envelopeBytes, second.envelopeBytes]).problems), ["THRESHOLD_NOT_MET"]);
  const other = await signedEnvelope("ana-2", approval.payload);
  const both = changed({ signatures: [...approval.envelope.signatures, ...other.signatures] });
  assert.equal(codes(count([both]).problems), ["THRESHOLD_NOT_MET"]);
});

test("case 22: the PEM and the raw form of a key are the same key", () => {
  const { publicKey } = testSigner("ana");
  const pem = publicKey.keyObject.export({ type: "spki", format: "pem" }).toString();
  assert.is(publicKeyToPem(publicKey), pem);
  const again = publicKeyFromPem(pem, "key");
  assert.is(again.keyId, publicKeyFromRaw(publicKey.raw, "key").keyId);
  assert.ok(again.raw.equals(publicKey.raw));
  assert.match(again.keyId, /^[0-9a-f]{64}$/);
});

test("case 23: the producer does not count, with none of several keys", async () => {
  const base = testTrust();
  const principals = base.principals.map((person) =>
    person.id === "pam" ? { ...person, keys: [...person.keys, trustKey("pam-2")] } : person,
  );
  for (const key of ["pam", "pam-2"]) {
    const own = await testApproval(bundleId, "pam", {}, key);
    const result = count([approval.envelopeBytes, own.envelopeBytes], { policy: { ...base, principals } });
    assert.equal(codes(result.problems), ["APPROVAL_NOT_COUNTED", "THRESHOLD_NOT_MET"]);
  }
});

test("case 24: bad signatures next to enough good ones are a warning, never a veto", () => {
  const garbage = [
    { keyid: "", sig: "*" },
    { ...firstSignature, sig: Buffer.alloc(64, 1).toString("base64") },
  ];
  const noisy = changed({ signatures: [...garbage, firstSignature] });
  const result = count([noisy, bob.envelopeBytes, Buffer.from("{}")]);
  assert.equal(result.problems, []);
  assert.equal(codes(result.refusals), ["ENVELOPE_INVALID"]);
});

test("case 24: one good approval among bad ones is not enough", () => {
  const bad = canonicalBytes({
    ...bob.envelope,
    signatures: [{ keyid: "", sig: Buffer.alloc(64).toString("base64") }],
  });
  const result = count([approval.envelopeBytes, bad, bad]);
  assert.equal(codes(result.problems), ["SIGNATURE_INVALID", "SIGNATURE_INVALID", "THRESHOLD_NOT_MET"]);
});

test("case 25: base64 with other characters and with unused bits is refused, both alphabets are read", () => {
  const bytes = Buffer.from([0xfb, 0xff, 0xbf, 0x01]);
  for (const text of ["+/+/AQ==", "-_-_AQ==", "-_-_AQ", "+/+/AQ"]) {
    assert.ok(decodeBase64(text, "value").equals(bytes), text);
  }
  for (const text of ["+/8=", "+/8", "-_8=", "-_8"]) {
    assert.is(decodeBase64(text, "value").toString("hex"), "fbff", text);
  }
  assert.is(decodeBase64("", "value").length, 0);
  const refused = ["+/+/AQ=", "+/+/AR==", " +/+/AQ==", "+/+/\nAQ==", "+/-_AQ==", "+/+/AQ==x", "A", "+/9=", "+_8="];
  for (const text of [...refused, "+/8==", "+/ 8", "+/8\n", "AA=", "AAA===", "=", "AA*A", "AA==AA=="]) {
    throws(() => decodeBase64(text, "value"), "NOT_CANONICAL");
  }
});

test("case 26: a signature with S + L, and one of 63 or 65 bytes, do not verify", () => {
  const key = testSigner("ana").publicKey;
  const message = preAuthEncoding(statementPayloadType, approval.payload);
  const signature = decodeBase64(firstSignature.sig, "signature");
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`) + order;
  const shifted = Buffer.from(s.toString(16).padStart(64, "0"), "hex").reverse();
  assert.ok(verifiesSignature(key, message, signature));
  const forged = [
    Buffer.concat([signature.subarray(0, 32), shifted]),
    signature.subarray(0, 63),
    Buffer.concat([signature, Buffer.alloc(1)]),
  ];
  for (const sig of forged) {
    assert.not.ok(verifiesSignature(key, message, sig));
    throws(() => open(changed({ signatures: [{ keyid: "", sig: sig.toString("base64") }] })), "SIGNATURE_INVALID");
  }
});

const weakKeys: readonly (readonly [string, string])[] = [
  ["the identity", `01${"00".repeat(31)}`],
  ["order 2", `ec${"ff".repeat(30)}7f`],
  ["order 4", "00".repeat(32)],
  ["order 4, negative", `${"00".repeat(31)}80`],
  ["order 8, first", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"],
  ["order 8, second", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"],
  ["order 8, third", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"],
  ["order 8, fourth", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"],
  ["the identity with a sign", `01${"00".repeat(30)}80`],
  ["order 2 with a sign", `ec${"ff".repeat(31)}`],
  ["the prime", `ed${"ff".repeat(30)}7f`],
  ["the prime with a sign", `ed${"ff".repeat(31)}`],
  ["the prime plus 1", `ee${"ff".repeat(30)}7f`],
  ["the prime plus 1 with a sign", `ee${"ff".repeat(31)}`],
  ["2^256 - 1", "ff".repeat(32)],
];
for (const [name, hex] of weakKeys) {
  test(`case 26: a policy with the weak key ${name} is refused`, () => {
    const raw = Buffer.from(hex, "hex");
    const key = trustKey("eve", { public_key: raw.toString("base64") });
    const base = testTrust();
    const policy = { ...base, principals: [...base.principals, { id: "eve", display: "eve", keys: [key] }] };
    throws(() => parseTrustPolicy(canonicalBytes(policy)), "KEY_INVALID");
  });
}

test("case 26: keys of other kinds, and private keys, are refused as public keys", () => {
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  for (const { publicKey } of [ec, rsa]) {
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    throws(() => publicKeyFromPem(pem, "key"), "KEY_INVALID");
  }
  for (const pem of ["no key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"]) {
    throws(() => publicKeyFromPem(pem, "key"), "KEY_INVALID");
  }
  throws(() => publicKeyFromRaw(Buffer.alloc(31, 5), "key"), "KEY_INVALID");
  const own = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const { message } = throws(() => publicKeyFromPem(own, "key"), "KEY_IS_PRIVATE");
  assert.not.ok(message.includes(own.split("\n")[1] ?? ""));
});

// RFC 8032, section 7.1, tests 1 to 3: public key, message, signature.
const rfc8032 = [
  [
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  ],
  [
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  ],
  [
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    "af82",
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  ],
] as const;

test("case 27: the vectors of RFC 8032 verify, and with another message or any flipped bit they do not", () => {
  for (const [raw, text, signed] of rfc8032) {
    const key = publicKeyFromRaw(Buffer.from(raw, "hex"), "key");
    const message = Buffer.from(text, "hex");
    const signature = Buffer.from(signed, "hex");
    assert.ok(verifiesSignature(key, message, signature));
    assert.not.ok(verifiesSignature(key, Buffer.concat([message, Buffer.alloc(1)]), signature));
    for (let bit = 0; bit < signature.length * 8; bit += 1) {
      const flipped = Buffer.from(signature);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.not.ok(verifiesSignature(key, message, flipped), `bit ${bit}`);
    }
  }
});

test("case 28: an approval of another bundle does not count", async () => {
  const other = await testApproval(sha256Hex("another manifest"), "bob");
  assert.equal(codes(count([approval.envelopeBytes, other.envelopeBytes]).problems), [
    "APPROVAL_MISMATCH",
    "THRESHOLD_NOT_MET",
  ]);
});

test("case 28: an approval for another environment does not count, in either direction", async () => {
  const staging = await testApproval(bundleId, "bob", { environment: "staging" });
  assert.equal(codes(count([approval.envelopeBytes, staging.envelopeBytes]).problems), [
    "APPROVAL_MISMATCH",
    "THRESHOLD_NOT_MET",
  ]);
  assert.equal(codes(count([approval.envelopeBytes], { environment: "staging" }).problems), ["APPROVAL_MISMATCH"]);
});

test("case 28: the approval of a catalog does not cover another catalog of the same version", async () => {
  const sign = async (files: Map<string, Buffer>) =>
    bundleIdOf((await signStatement(manifestStatement(testManifest(files)), testSigner("pam"))).payload);
  const first = await sign(testFiles());
  const second = await sign(testFiles().set("catalog.yaml", Buffer.from("catalog_version: test-1\nworkflows: [ ]\n")));
  const old = await testApproval(first, "ana");
  const files = new Map([["approvals/ana.dsse.json", old.envelopeBytes]]);
  const asked = {
    trust,
    bundleId: second,
    producers: new Set(["pam"]),
    claim: testClaim,
    environment: testEnvironment,
  };
  const question = { ...asked, now: testNow, isRevoked: () => false };
  assert.equal(codes(countApprovals(files, question).problems), ["APPROVAL_MISMATCH", "THRESHOLD_NOT_MET"]);
});

test("case 29: a statement of another kind, or of an unknown kind, is refused", async () => {
  const statement = JSON.parse(approval.payload.toString("utf8")) as object;
  for (const predicateType of [predicateTypes.manifest, "https://in-toto.io/attestation/test-result/v0.1"]) {
    const signed = await signedEnvelope("ana", canonicalBytes({ ...statement, predicateType }));
    throws(() => open(canonicalBytes(signed)), "ENVELOPE_INVALID");
  }
  const otherType = await signedEnvelope(
    "ana",
    canonicalBytes({ ...statement, _type: "https://in-toto.io/Statement/v0.1" }),
  );
  throws(() => open(canonicalBytes(otherType)), "DOCUMENT_INVALID");
});

test("case 29: an approver who is no producer cannot sign a manifest", async () => {
  const manifest = { ...testManifest(testFiles()), producer: "ana" };
  const { envelopeBytes } = await signStatement(manifestStatement(manifest), testSigner("ana"));
  throws(() => openManifest(envelopeBytes, trust, testNow, "manifest"), "ROLE_MISMATCH");
});

test("case 30: two payloads in one envelope are refused, plain and escaped", () => {
  const text = approval.envelopeBytes.toString("utf8");
  for (const extra of ['"payload":"e30=",', '"p\\u0061yload":"e30=",']) {
    throws(() => open(Buffer.from(text.replace('"payload":', `${extra}"payload":`))), "NOT_CANONICAL");
  }
});

test("case 30: what is parsed is the buffer that was verified", () => {
  const opened = open(approval.envelopeBytes);
  assert.ok(opened.payload.equals(approval.payload));
  assert.ok(canonicalBytes(opened.statement).equals(opened.payload));
});
