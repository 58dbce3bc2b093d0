import { openEnvelope } from "../../../../src/trust/verify/open-envelope.js";
import { parseTrustPolicy } from "../../../../src/trust/trust-policy.js";
import { canonicalBytes } from "../../../../src/base/canonical-json.js";
import { sha256Hex } from "../../../../src/base/sha256.js";
import { predicateTypes } from "../../../../src/documents/signed.js";
import { assert, test, throws } from "../../../support/test.js";
import { signedEnvelope, testApproval, testTrustBytes } from "../../../support/builders-artifacts.js";

const { keys } = parseTrustPolicy(testTrustBytes());
const { envelope, payload, envelopeBytes } = await testApproval(sha256Hex("bundle"), "ana");
const [signature] = envelope.signatures;
if (signature === undefined) throw new Error("the envelope has a signature");

const open = (bytes: Uint8Array) => openEnvelope(bytes, predicateTypes.approval, keys, "envelope");
const openChanged = (changes: object) => open(canonicalBytes({ ...envelope, ...changes }));

test("an envelope yields its statement and its signer", () => {
  const opened = open(envelopeBytes);
  assert.equal(
    opened.signers.map((key) => key.principal),
    ["ana"],
  );
  assert.ok(opened.payload.equals(payload));
});

test("one key is tried twice on an envelope: a good signature behind two bad ones is not reached", () => {
  const bad = { keyid: signature.keyid, sig: Buffer.alloc(64).toString("base64") };
  assert.is(openChanged({ signatures: [bad, signature] }).signers.length, 1);
  throws(() => openChanged({ signatures: [bad, bad, signature] }), "SIGNATURE_INVALID");
});

test("the same signature twice counts as one signer, and bad signatures next to it do no harm", () => {
  const bad = [
    { keyid: signature.keyid, sig: Buffer.alloc(64).toString("base64") },
    { keyid: signature.keyid, sig: "*" },
  ];
  const twice = { ...signature, keyid: "other" };
  assert.is(openChanged({ signatures: [...bad, signature, twice] }).signers.length, 1);
});

test("unknown members of an envelope are ignored", () => {
  assert.is(openChanged({ comment: "hello" }).signers.length, 1);
});

test("bytes that are no envelope, and signatures of strangers, are refused", async () => {
  throws(() => open(canonicalBytes(envelope).subarray(1)), "NOT_CANONICAL");
  const stranger = await signedEnvelope("stranger", payload);
  throws(() => open(canonicalBytes(stranger)), "SIGNATURE_INVALID");
});

test("too many signatures are refused without verifying them", () => {
  const times = (length: number) => Array.from({ length }, () => signature);
  assert.is(openChanged({ signatures: times(64) }).signers.length, 1);
  throws(() => openChanged({ signatures: times(65) }), "ENVELOPE_INVALID");
  throws(() => openChanged({ signatures: times(10_000) }), "TOO_LARGE");
});

test("a payload that is not base64 and an envelope of another shape are refused", () => {
  throws(
    () => openChanged({ payload: `${envelope.payload.slice(0, 8)} ${envelope.payload.slice(8)}` }),
    "NOT_CANONICAL",
  );
  throws(() => openChanged({ signatures: null }), "ENVELOPE_INVALID");
  throws(() => open(canonicalBytes([envelope])), "ENVELOPE_INVALID");
});

test("a signed payload must be canonical and have no other keys", async () => {
  const statement = JSON.parse(payload.toString("utf8")) as object;
  const signed = async (body: Buffer) => canonicalBytes(await signedEnvelope("ana", body));
  const spaced = await signed(Buffer.from(JSON.stringify(statement, null, 1)));
  throws(() => open(spaced), "NOT_CANONICAL");
  const extraKey = await signed(canonicalBytes(JSON.parse(`{"__proto__":1,${JSON.stringify(statement).slice(1)}`)));
  throws(() => open(extraKey), "DOCUMENT_INVALID");
});
