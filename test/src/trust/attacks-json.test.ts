import type { BundleId } from "../../../src/documents/primitives.js";
import { printable } from "../../../src/base/text.js";
import { signStatement } from "../../../release/signing/sign-statement.js";
import { readStrictJson } from "../../../src/trust/strict-json.js";
import { parseTrustPolicy } from "../../../src/trust/trust-policy.js";
import { countApprovals } from "../../../src/trust/verify/count-approvals.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import { checkSchema } from "../../../src/documents/check-schema.js";
import { ApprovalSchema, predicateTypes, type Statement, statementType } from "../../../src/documents/signed.js";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import { assert, pluck, rejects, test, throws } from "../../support/test.js";
import {
  testApproval,
  testClaim,
  testEnvironment,
  testNow,
  testSigner,
  testTrust,
} from "../../support/builders-artifacts.js";

/** What strict JSON reads and refuses, and the attack cases on JSON, numbered as in the list of attacks: 31 to 37. */

const read = (bytes: Uint8Array) => readStrictJson(bytes, "document");
const million = 1_000_000;

const refused: readonly (readonly [string, string | Uint8Array, ErrorCode])[] = [
  ["case 31: duplicate keys", '{"a":1,"a":1}', "NOT_CANONICAL"],
  ["case 31: duplicate keys, the first escaped", '{"\\u0061":1,"a":1}', "NOT_CANONICAL"],
  ["case 31: duplicate keys, the second escaped", '{"a":1,"\\u0061":1}', "NOT_CANONICAL"],
  ["case 31: duplicate keys in depth", '[{"a":{"b":1,"b":2}}]', "NOT_CANONICAL"],
  ["case 31: keys that NFC makes equal", '{"e\u0301":1,"\u00e9":2}', "NOT_CANONICAL"],
  ["case 33: a number beyond the range", "[1e400]", "NOT_CANONICAL"],
  ["case 33: an integer above 2^53", "[9007199254740993]", "NOT_CANONICAL"],
  ["case 33: minus zero", "[-0]", "NOT_CANONICAL"],
  ["case 33: minus zero with a fraction", "[-0.0]", "NOT_CANONICAL"],
  ["case 33: a fraction of zero", "[1.0]", "NOT_CANONICAL"],
  ["case 33: an exponent", "[1e2]", "NOT_CANONICAL"],
  ["case 33: an exponent with another sign", "[1E-7]", "NOT_CANONICAL"],
  ["case 33: a leading zero", "[01]", "NOT_CANONICAL"],
  ["case 33: a plus sign", "[+1]", "NOT_CANONICAL"],
  ["case 33: too many digits", "[0.10000000000000001]", "NOT_CANONICAL"],
  ["case 33: not a number", "[NaN]", "NOT_CANONICAL"],
  ["case 34: a byte order mark", "\ufeff{}", "NOT_CANONICAL"],
  ["case 34: a trailing newline", "{}\n", "NOT_CANONICAL"],
  ["case 34: trailing data", "{}x", "NOT_CANONICAL"],
  ["case 34: a trailing NUL", "{}\0", "NOT_CANONICAL"],
  ["case 34: a comment", "{}/**/", "NOT_CANONICAL"],
  ["case 34: invalid UTF-8", Buffer.from([0x22, 0xff, 0x22]), "NOT_CANONICAL"],
  ["case 34: an overlong slash", Buffer.from([0x22, 0xc0, 0xaf, 0x22]), "NOT_CANONICAL"],
  ["case 34: a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "NOT_CANONICAL"],
  ["case 34: UTF-16", Buffer.from('{"a":1}', "utf16le"), "NOT_CANONICAL"],
  ["case 34: an escaped lone surrogate", '["\\ud800"]', "NOT_CANONICAL"],
  ["case 34: an escaped low surrogate", '["\\udc00x"]', "NOT_CANONICAL"],
  ["case 35: 33 levels", `${"[".repeat(33)}${"]".repeat(33)}`, "NOT_CANONICAL"],
  ["case 35: 5,000 levels", "[".repeat(5000), "NOT_CANONICAL"],
  ["case 35: 5,000 levels of objects", `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`, "NOT_CANONICAL"],
  ["case 35: 5,000,000 levels", "[".repeat(5 * million), "TOO_LARGE"],
  ["case 35: 2 MiB", `"${"x".repeat(2 * 1024 * 1024)}"`, "TOO_LARGE"],
  ["case 35: a million keys", `{${Array.from({ length: million }, (_, i) => `"${i}":0`).join(",")}}`, "TOO_LARGE"],
  ["white space", '{"a": 1}', "NOT_CANONICAL"],
  ["another key order", '{"b":1,"a":1}', "NOT_CANONICAL"],
  ["an escaped slash", '["\\/"]', "NOT_CANONICAL"],
  ["an unneeded escape", '["\\u0041"]', "NOT_CANONICAL"],
  ["a second document", "{}{}", "NOT_CANONICAL"],
  ["nothing", "", "NOT_CANONICAL"],
  ["a key that is not NFC", '{"e\u0301":1}', "NOT_CANONICAL"],
  ["5,000 levels of objects that never end", '{"a":'.repeat(5000), "NOT_CANONICAL"],
];
for (const [name, text, code] of refused) {
  test(`${name} is refused with ${code}`, () => {
    const bytes = typeof text === "string" ? Buffer.from(text, "utf8") : text;
    const begin = performance.now();
    assert.match(throws(() => read(bytes), code).message, /^document: /);
    assert.ok(performance.now() - begin < 2000);
  });
}

test("canonical documents are read", () => {
  const text = '{"a":[1,0.5,"é",null,true],"b":{}}';
  assert.equal(read(Buffer.from(text)), { a: [1, 0.5, "é", null, true], b: {} });
  assert.is.not(read(Buffer.from(`${"[".repeat(32)}${"]".repeat(32)}`)), undefined);
  assert.equal(read(Buffer.from('["[[[[ \\" {{{{"]')), ['[[[[ " {{{{']);
});

test("__proto__ is read as a plain key and changes no prototype", () => {
  const value = read(Buffer.from('{"__proto__":{"polluted":1}}')) as object;
  assert.equal(Object.keys(value), ["__proto__"]);
  assert.is(({} as { polluted?: number }).polluted, undefined);
});

test("the size limit is inclusive", () => {
  assert.is(readStrictJson(Buffer.from('"xx"'), "document", 4), "xx");
  throws(() => readStrictJson(Buffer.from('"xx"'), "document", 3), "TOO_LARGE");
});

test("case 35: depth is checked before anything is parsed, also inside the size limit", () => {
  throws(() => readStrictJson(Buffer.from("[".repeat(5 * million)), "document", 6 * million), "NOT_CANONICAL");
});

test("case 35: brackets in texts and behind escapes are no depth", () => {
  const text = JSON.stringify(['[[{\\"', "[".repeat(100), '\\"{{{']);
  assert.equal(read(Buffer.from(text)), JSON.parse(text));
});

const approval = {
  decision: "approve",
  environment: testEnvironment,
  approver: "ana",
  not_before: "2026-03-01T00:00:00Z",
  expires: "2026-04-01T00:00:00Z",
  page_sha256: sha256Hex("page"),
  reason: "",
  gate_override: null,
};

for (const key of ["__proto__", "constructor", "toString"]) {
  test(`case 32: a key ${key} is unknown to every schema and changes no prototype`, () => {
    const document = read(canonicalBytes(JSON.parse(`{"${key}":{"polluted":1},${JSON.stringify(approval).slice(1)}`)));
    throws(() => checkSchema(ApprovalSchema, document, "approval"), "DOCUMENT_INVALID");
    assert.is(({} as { polluted?: number }).polluted, undefined);
  });
}

const shapes: readonly (readonly [string, unknown])[] = [
  ["an unknown field", { ...approval, more: 1 }],
  ["a missing field", Object.fromEntries(Object.entries(approval).filter(([key]) => key !== "expires"))],
  ["a null field", { ...approval, reason: null }],
  ["an array for an object", [approval]],
  ["an object for a text", { ...approval, approver: {} }],
  ["an unknown decision", { ...approval, decision: "APPROVE" }],
];
for (const [name, predicate] of shapes) {
  test(`case 36: an approval with ${name} does not count`, async () => {
    const statement: Statement = {
      _type: statementType,
      subject: [{ name: "x", digest: { sha256: sha256Hex("bundle") } }],
      predicateType: predicateTypes.approval,
      predicate,
    };
    const { envelopeBytes } = await signStatement(statement, testSigner("ana"));
    const result = countApprovals(new Map([["approvals/ana.dsse.json", envelopeBytes]]), {
      trust: parseTrustPolicy(canonicalBytes(testTrust())),
      bundleId: sha256Hex("bundle") as BundleId,
      producers: new Set(["pam"]),
      claim: testClaim,
      environment: testEnvironment,
      now: testNow,
      isRevoked: () => false,
    });
    assert.equal(pluck(result.problems, "code"), ["DOCUMENT_INVALID", "THRESHOLD_NOT_MET"]);
  });
}

test("case 37: text that is not NFC is neither signed nor read", async () => {
  await rejects(testApproval(sha256Hex("bundle"), "ana", { reason: "e\u0301" }), "NOT_CANONICAL");
  throws(() => read(Buffer.from('{"reason":"e\u0301"}')), "NOT_CANONICAL");
});

test("case 37: characters that disguise a name are shown as numbers", () => {
  const disguises = ["\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u2028", "\u0007", "\ud800"];
  for (const character of disguises) {
    const shown = printable(`an${character}a`);
    assert.not.ok(shown.includes(character));
    assert.match(shown, /^an\\u\{[0-9a-f]+\}a$/);
  }
});

test("case 37: a disguised name in a policy is escaped in the message", () => {
  const base = testTrust();
  const policy = { ...base, roles: { ...base.roles, producer: ["pa\u202em"] } };
  const { message } = throws(() => parseTrustPolicy(canonicalBytes(policy)), "TRUST_POLICY_INVALID");
  assert.match(message, "pa\\u{202e}m");
});
