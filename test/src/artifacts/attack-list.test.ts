import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ErrorCode, errorCodes } from "../../../src/errors/codes.js";
import { packageRoot } from "../../support/package-root.js";

/** Every case of the list of attacks on signed bundles, and the test that holds it. */
const test = suite("src/artifacts/attack-list");

/** What is attacked, file below test/, part of the test's name or of its table, codes that the file must expect. */
type Case = readonly [attack: string, file: string, name: string, ...codes: readonly ErrorCode[]];

const files = "src/artifacts/attacks-files.test.ts";
const envelope = "src/artifacts/attacks-envelope.test.ts";
const json = "src/artifacts/attacks-json.test.ts";
const release = "src/artifacts/attacks-release.test.ts";
const state = "src/artifacts/release-state.test.ts";
const chain = "src/artifacts/trust-chain.test.ts";
const open = "workbench/history/open.test.ts";
const write = "workbench/history/write.test.ts";
const head = "workbench/history/require-head.test.ts";

const cases: readonly Case[] = [
  ["one flipped byte", files, "case 1: one flipped byte", "HASH_MISMATCH"],
  ["swapped model directories", files, "case 2: swapped model directories", "HASH_MISMATCH"],
  ["a rename that keeps the order", files, "case 3: a file renamed", "FILE_MISSING", "FILE_EXTRA"],
  ["two files joined to one", files, "case 4: two files"],
  ["an added file", files, "case 5: an added", "FILE_EXTRA"],
  ["a removed file", files, "case 6: a removed", "FILE_MISSING"],
  ["truncated, appended", files, "case 7: a truncated", "HASH_MISMATCH"],
  ["symbolic links", files, "case 8: a symbolic link", "FILE_TYPE_REFUSED"],
  ["hard links", files, "case 9: a file with a second name", "FILE_TYPE_REFUSED"],
  ["fifo, socket, device", files, "case 10: a fifo and a socket", "FILE_TYPE_REFUSED"],
  ["names that systems read differently", files, "case 11: a file name with", "PATH_REFUSED"],
  ["too large, too many, too deep", files, "case 12: an 8 GiB sparse file", "LIMIT_EXCEEDED"],
  ["replaced between hash and load", files, "case 13: a file replaced", "FILE_CHANGED"],
  ["a parent folder becomes a link", files, "case 14: a parent folder", "PATH_REFUSED"],
  ["a time that was set back", files, "case 15: a modification time", "FILE_CHANGED"],
  ["external data of a graph", files, "case 16: external data", "MODEL_INVALID"],
  ["a file that cannot be read", files, "case 17: a file without read permission", "READ_FAILED"],
  ["another payload type", envelope, "case 18: another payload type", "PAYLOAD_TYPE", "SIGNATURE_INVALID"],
  ["ambiguous lengths in the signed bytes", envelope, "case 19: a type that holds", "SIGNATURE_INVALID"],
  ["no signature, 10,000 signatures", envelope, "case 20: 10,000", "THRESHOLD_NOT_MET", "TOO_MANY_SIGNATURES"],
  ["a key id that lies", envelope, "case 21: a key id"],
  ["one person counted twice", envelope, "case 22: two keys of one person", "THRESHOLD_NOT_MET"],
  ["the producer approves", envelope, "case 23: the producer", "SELF_APPROVAL"],
  ["bad signatures beside good ones", envelope, "case 24: one good approval", "THRESHOLD_NOT_MET"],
  ["other base64", envelope, "case 25: base64", "BAD_BASE64"],
  ["weak and foreign keys", envelope, "case 26: keys of other kinds", "KEY_WEAK", "KEY_INVALID", "KEY_IS_PRIVATE"],
  ["published signature vectors", envelope, "case 27: the vector of RFC 8032"],
  ["an approval of something else", envelope, "case 28: an approval", "WRONG_BUNDLE", "WRONG_ENVIRONMENT"],
  ["a statement of another kind or role", envelope, "case 29: a statement", "UNKNOWN_PREDICATE", "ROLE_MISMATCH"],
  ["two payloads in one envelope", envelope, "case 30: two payloads", "NOT_CANONICAL"],
  ["duplicate keys", json, "31: duplicate keys", "NOT_CANONICAL"],
  ["__proto__ and constructor", json, "case 32: a key", "SCHEMA_INVALID"],
  ["numbers in other forms", json, "33: an integer above 2^53", "NOT_CANONICAL"],
  ["a byte order mark, trailing data, bad UTF-8", json, "34: a byte order mark", "NOT_CANONICAL", "BAD_UTF8"],
  ["too deep, too large", json, "35: 5,000,000 levels", "TOO_DEEP", "TOO_LARGE"],
  ["unknown, missing and null fields", json, "case 36: an approval with", "SCHEMA_INVALID"],
  ["text that is not NFC, disguised names", json, "case 37: characters that disguise", "NOT_NFC"],
  ["dates", release, "case 38: an approval that", "EXPIRED", "NOT_YET_VALID", "VALIDITY_ORDER", "VALIDITY_TOO_LONG"],
  ["clocks", state, "case 39: a clock behind", "CLOCK_ROLLBACK"],
  ["something revoked", release, "case 40: a revoked", "REVOKED"],
  ["revoked while it serves", "e2e/revocation.test.ts", "case 41: a revocation stops", "REVOKED"],
  ["an old approved release again", state, "case 42: a release below the signed floor", "ROLLBACK_BELOW_FLOOR"],
  ["two bundles with one number", state, "case 43: another bundle", "COUNTER_CONFLICT"],
  ["a policy that does not follow", chain, "case 44: version", "TRUST_CHAIN_GAP", "TRUST_THRESHOLD"],
  ["a root key lost or rotated", chain, "case 45: a lost root key", "TRUST_THRESHOLD"],
  ["one rejection", release, "case 46: one rejection", "REJECTED_BY_APPROVER"],
  ["approvals under another policy version", release, "case 45 and 47: approvals outlive", "ROLE_MISMATCH"],
  ["running values differ from the signed ones", "src/routing/bundle-identities.test.ts", "every identity can differ"],
  [
    "another mode, a stale generation",
    "src/routing/runtime.test.ts",
    "of two replacements",
    "MODE_CHANGE",
    "GENERATION_STALE",
  ],
  ["SQL against the tables", open, "PRAGMA writable_schema = ON", "SCHEMA_TAMPERED"],
  ["entries edited, swapped, cut off", head, "two entries changed places", "HISTORY_TRUNCATED", "HISTORY_FORK"],
  ["a damaged or missing write-ahead log", head, "a write-ahead log that is cut", "HISTORY_TRUNCATED"],
  ["a flipped bit in a page", "workbench/history/verify.test.ts", "a flipped bit", "ENTRY_TAMPERED"],
  ["an older backup", head, "an older backup", "HISTORY_TRUNCATED"],
  ["a fork", head, "two copies that went on differently", "HISTORY_FORK"],
  ["killed while it writes", "workbench/history/kill.test.ts", "a writer that is killed"],
  ["four writers", write, "four processes that create and write"],
  ["a deferred transaction that turns into a writer", "architecture/transactions.test.ts", "a transaction that writes"],
  ["a lock that is held", write, "holds the lock for too long", "DB_BUSY"],
  ["a full disk", write, "a full database refuses", "DB_FULL"],
  [
    "a read-only disk",
    "workbench/history/backup.test.ts",
    "in a folder that cannot be written",
    "READ_FAILED",
    "WRITE_FAILED",
  ],
  ["another database, a newer one", open, "a history of a newer version", "DB_NOT_OURS", "DB_TOO_NEW"],
  ["a crash between two steps", "src/artifacts/crash.test.ts", "case 63: "],
  ["imports at once", "src/artifacts/attacks-process.test.ts", "case 64: of imports", "FILE_EXISTS"],
  ["a power loss", open, "every connection writes fully to the disk"],
  ["a verification that fails", "cli/revoke.test.ts", "case 66: a bundle that does not verify"],
  ["a hostile archive", "src/artifacts/tar.test.ts", "case 67: an archive", "ARCHIVE_REFUSED", "PATH_REFUSED"],
  ["an interrupted import", "src/artifacts/tar.test.ts", "case 68: an import", "HASH_MISMATCH", "WRITE_FAILED"],
  [
    "passphrases and key files",
    "cli/passphrase.test.ts",
    "case 69: ",
    "PASSPHRASE_WRONG",
    "PASSPHRASE_MISSING",
    "KEY_FILE_MODE",
  ],
  ["another environment of the process", "src/artifacts/attacks-process.test.ts", "case 70: language"],
  ["no network", "cli/release-carry.test.ts", "case 71: bundle and history verify"],
  ["secrets in messages", "cli/silent-secrets.test.ts", "case 72: the message about"],
  ["junk approvals", envelope, "case 73: 64 signatures", "LIMIT_EXCEEDED"],
  ["approvals that cannot count", "cli/release.test.ts", "is refused with a code of its own", "APPROVAL_NOT_COUNTED"],
  ["a list that uses up all numbers", release, "case 75: a list may skip", "REVOCATIONS_JUMP"],
  [
    "one person under two ids",
    "src/artifacts/trust-policy.test.ts",
    "a person with a zero-width space",
    "TRUST_POLICY_INVALID",
  ],
  [
    "an approved bundle that cannot start",
    "cli/release-start.test.ts",
    "bundle verify refuses an approved bundle",
    "CATALOG_NOT_PRODUCTION",
    "WARMUP_FAILED",
  ],
  ["a clock that is set ahead and back", "serve/state.test.ts", "a clock that was 40 days ahead", "CLOCK_ROLLBACK"],
  ["an older list after a refused start", "serve/state.test.ts", "a list that refused a start", "REVOCATIONS_ROLLBACK"],
  [
    "an older list in place of the one that revoked",
    "src/artifacts/revocation-watch.test.ts",
    "a list that revoked the bundle stays in force",
  ],
  ["an event of a caller without the right", "serve/exact-events.test.ts", "only a caller whose grant says events"],
  [
    "demonstration keys in production",
    "serve/demonstration.test.ts",
    "a demonstration bundle is refused as production",
    "WRONG_ENVIRONMENT",
  ],
  ["a name that contains another one", "serve/authorizers/token-authorizer.test.ts", "evil release-probe"],
  ["silent connections", "e2e/silent-clients.test.ts", "450 silent clients against 400 descriptors"],
  ["a hostile folder beside the server", "e2e/touched-bundle.test.ts", "while a large hostile folder is verified"],
  ["a change told to callers", "e2e/touched-bundle.test.ts", "every change of a file is noticed by the first request"],
];

test("the list has 86 cases", () => {
  assert.is(cases.length, 86);
});

for (const [index, [attack, file, name, ...codes]] of cases.entries()) {
  test(`case ${index + 1}, ${attack}, has its test with its error codes`, () => {
    const source = readFileSync(join(packageRoot, "test", file), "utf8");
    assert.ok(source.includes(name), `${file} has no test "${name}"`);
    assert.match(source, /^test\.run\(\);$/m);
    for (const code of codes) {
      assert.ok(code in errorCodes, code);
      assert.ok(source.includes(code), `${file} does not expect ${code}`);
    }
  });
}

test.run();
