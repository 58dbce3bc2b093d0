import { execFileSync } from "node:child_process";
import type { BundleId } from "../../../src/documents/primitives.js";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { publicKeyToPem } from "../../../src/trust/public-key.js";
import { approvalStatement, manifestStatement } from "../../../release/signing/statements.js";
import { signStatement } from "../../../release/signing/sign-statement.js";
import { bundleIdOf } from "../../../src/trust/statements.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import type { Approval } from "../../../src/documents/signed.js";
import { assert, inTemporaryFolder, rejects, test, throws } from "../../support/test.js";
import { testFiles, testManifest, testSigner } from "../../support/builders-artifacts.js";

const manifest = () => manifestStatement(testManifest(testFiles()));

test("the same manifest gives the same bytes and the same bundle id", async () => {
  const first = await signStatement(manifest(), testSigner("pam"));
  const second = await signStatement(manifest(), testSigner("pam"));
  assert.ok(first.envelopeBytes.equals(second.envelopeBytes));
  assert.is(bundleIdOf(first.payload), sha256Hex(Buffer.from(first.envelope.payload, "base64")));
});

test("openssl and jq verify an envelope without this program", () =>
  inTemporaryFolder(async (folder) => {
    const signer = testSigner("pam");
    const { envelopeBytes } = await signStatement(manifest(), signer);
    writeFileSync(join(folder, "env.json"), envelopeBytes);
    writeFileSync(join(folder, "pub.pem"), publicKeyToPem(signer.publicKey));
    const script = [
      "set -euo pipefail",
      "T=$(jq -r .payloadType env.json); jq -r .payload env.json | base64 -d > body",
      "printf 'DSSEv1 %d %s %d ' ${#T} \"$T\" $(stat -c%s body) | cat - body > pae",
      "jq -r '.signatures[0].sig' env.json | base64 -d > sig",
      "openssl pkeyutl -verify -pubin -inkey pub.pem -rawin -in pae -sigfile sig",
    ].join("\n");
    const said = execFileSync("bash", ["-c", script], { cwd: folder, encoding: "utf8" });
    assert.match(said, "Signature Verified Successfully");
  }));

test("the subjects of a manifest are its digests", () => {
  const predicate = testManifest(testFiles());
  const { subject } = manifestStatement(predicate);
  assert.equal(
    subject.map((s) => `${s.name} ${Object.keys(s.digest).join()}`),
    [
      "catalog sha256",
      "calibration sha256",
      "policy sha256",
      "golden sha256",
      "retriever dirHash1",
      "verifier dirHash1",
    ],
  );
  assert.is(subject[4]?.digest["dirHash1"], predicate.retriever.dir_hash1);
});

test("a signer whose signature does not verify is noticed", async () => {
  const { keyId, publicKey } = testSigner("pam");
  const broken = { keyId, publicKey, sign: async () => Buffer.alloc(64, 1) };
  await rejects(signStatement(manifest(), broken), "SIGNATURE_INVALID");
});

test("text that is not NFC is not signed", async () => {
  const statement = manifestStatement({ ...testManifest(testFiles()), bundle_version: "e\u0301" });
  await rejects(signStatement(statement, testSigner("pam")), "NOT_CANONICAL");
});

test("a manifest with missing, unknown or contradicting fields is refused", () => {
  const predicate = testManifest(testFiles());
  const { top_k: _, ...withoutTopK } = predicate;
  throws(() => manifestStatement(withoutTopK as typeof predicate), "DOCUMENT_INVALID");
  throws(() => manifestStatement({ ...predicate, more: 1 } as typeof predicate), "DOCUMENT_INVALID");
  throws(() => manifestStatement({ ...predicate, created_at: "2026-02-30T00:00:00Z" }), "DOCUMENT_INVALID");
  const retriever = { ...predicate.retriever, dir_hash1: predicate.verifier.dir_hash1 };
  throws(() => manifestStatement({ ...predicate, retriever }), "IDENTITY_MISMATCH");
  const unsorted = { ...predicate.retriever, files: predicate.retriever.files.toReversed() };
  throws(() => manifestStatement({ ...predicate, retriever: unsorted }), "IDENTITY_MISMATCH");
});

for (const path of ["../up", "/etc/passwd", "a//b", "a/./b", "a\\b", "", `${"x".repeat(300)}`, "e\u0301"]) {
  test(`a manifest that lists ${JSON.stringify(path.slice(0, 20))} is refused`, () => {
    const predicate = testManifest(testFiles());
    const evidence = [{ name: path, sha256: sha256Hex("") }];
    throws(() => manifestStatement({ ...predicate, evidence }), "FILE_REFUSED");
  });
}

test("an approval that ends before it begins is refused", () => {
  const predicate: Approval = {
    decision: "approve",
    environment: "production",
    approver: "ana",
    not_before: "2026-03-02T00:00:00Z",
    expires: "2026-03-01T00:00:00Z",
    page_sha256: sha256Hex(""),
    gate_override: null,
    reason: "",
  };
  const bundle = { bundleId: sha256Hex("") as BundleId, bundleVersion: "1" };
  throws(() => approvalStatement(bundle, predicate), "VALIDITY_INVALID");
  throws(() => approvalStatement(bundle, { ...predicate, expires: "2026-03-03" }), "DOCUMENT_INVALID");
});
