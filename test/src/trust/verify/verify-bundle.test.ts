import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BundleProblem } from "../../../../src/trust/verify/problem.js";
import { verifyBundle } from "../../../../src/trust/verify/verify-bundle.js";
import { canonicalBytes } from "../../../../src/base/canonical-json.js";
import { sha256Hex } from "../../../../src/base/sha256.js";
import type { TrustPolicy } from "../../../../src/documents/signed.js";
import type { SluiceError } from "../../../../src/base/error.js";
import { assert, inTemporaryFolder, rejects, test } from "../../../support/test.js";
import {
  testEnvironment,
  testNow,
  testTrust,
  testTrustBytes,
  writeTestBundle,
} from "../../../support/builders-artifacts.js";
import { listFiles, reindex } from "../../../support/bundle-folder.js";

function verify(directory: string, now = testNow, trust: TrustPolicy = testTrust()) {
  return verifyBundle({ directory, trustPolicyBytes: canonicalBytes(trust), environment: testEnvironment, now });
}

function withBundle(run: (directory: string, folder: string) => Promise<void>): () => Promise<void> {
  return () =>
    inTemporaryFolder(async (folder) => {
      const directory = join(folder, "bundle");
      await writeTestBundle(directory);
      await run(directory, folder);
    });
}

function problemsOf(error: SluiceError): readonly BundleProblem[] {
  return error.details?.["problems"] as readonly BundleProblem[];
}

test(
  "an untouched bundle yields the bytes, the approvals and the end of its validity",
  withBundle(async (directory) => {
    const bundle = await verify(directory);
    assert.is(bundle.bundleId.length, 64);
    assert.equal(
      bundle.approvals.counted.map(({ approver }) => approver),
      ["ana", "bob"],
    );
    assert.is(bundle.manifest.bundle_version, "2026.3.1");
    assert.is(bundle.catalogBytes.toString(), readFileSync(join(directory, "catalog.yaml"), "utf8"));
    assert.equal([...bundle.verifierFiles.keys()], ["onnx/model.onnx", "router_model.json"]);
    assert.equal([...bundle.retrieverFiles.keys()], ["router_model.json", "weights.bin"]);
    assert.equal(bundle.approvals.refusals, []);
    assert.is(new Date(bundle.end.at).toISOString(), "2026-04-01T00:01:00.000Z");
  }),
);

test(
  "the bundle verifies until the millisecond before its end and fails from then on",
  withBundle(async (directory) => {
    const { end } = await verify(directory);
    await verify(directory, new Date(end.at - 1));
    const error = await rejects(verify(directory, new Date(end.at)), "EXPIRED");
    assert.match(error.message, "0 of 2 required approvals");
  }),
);

test(
  "flipping one byte of any file fails and names that file",
  withBundle(async (directory) => {
    for (const path of listFiles(directory)) {
      const file = join(directory, path);
      const bytes = readFileSync(file);
      const step = Math.max(1, Math.floor(bytes.length / 23));
      for (let at = 0; at < bytes.length; at += step) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ 1;
        writeFileSync(file, flipped);
        const error = await verify(directory).then(
          () => assert.unreachable(`${path} at ${at} passed`) as never,
          (thrown: SluiceError) => thrown,
        );
        assert.is(error.entry.exitCode, 4, `${path} at ${at}`);
        assert.ok(error.message.includes(path), `${path} at ${at}: ${error.message}`);
      }
      writeFileSync(file, bytes);
    }
    await verify(directory);
  }),
);

test(
  "a changed file is reported with its size and digest and the expected ones",
  withBundle(async (directory) => {
    writeFileSync(join(directory, "policy.json"), "{}");
    const error = await rejects(verify(directory), "HASH_MISMATCH");
    assert.equal(
      problemsOf(error).map((p) => p.file),
      ["policy.json"],
    );
    assert.match(error.message, `2 bytes with sha256 ${sha256Hex("{}")}`);
    assert.match(error.message, "23 bytes");
  }),
);

test(
  "all problems are reported together",
  withBundle(async (directory) => {
    writeFileSync(join(directory, "catalog.yaml"), "other");
    writeFileSync(join(directory, "extra.txt"), "");
    rmSync(join(directory, "golden.json"));
    rmSync(join(directory, "approvals", "bob.dsse.json"));
    const found = problemsOf(await rejects(verify(directory), "FILE_MISSING")).map((p) => `${p.code} ${p.file}`);
    assert.equal(found.sort(), [
      "FILE_EXTRA extra.txt",
      "FILE_MISSING approvals/bob.dsse.json",
      "FILE_MISSING golden.json",
      "HASH_MISMATCH catalog.yaml",
      "THRESHOLD_NOT_MET approvals",
    ]);
  }),
);

test(
  "a deleted approval fails with the number that is left, with and without a matching bundle.json",
  withBundle(async (directory) => {
    rmSync(join(directory, "approvals", "ana.dsse.json"));
    const error = await rejects(verify(directory), "FILE_MISSING");
    assert.match(error.message, "1 of 2 required approvals");
    reindex(directory);
    const reindexed = await rejects(verify(directory), "THRESHOLD_NOT_MET");
    assert.match(reindexed.message, "1 of 2");
  }),
);

test(
  "a manifest that only an approver signed, or nobody known, is refused",
  withBundle(async (directory) => {
    const trust = testTrust();
    const nobody = { ...trust, roles: { ...trust.roles, producer: ["carl"] } };
    await rejects(verify(directory, testNow, nobody), "ROLE_MISMATCH");
    const approver = trust.roles.approver.map((rule) => ({ ...rule, principals: ["ana", "bob"] }));
    const principals = trust.principals.filter((p) => p.id !== "pam");
    const stranger = {
      ...trust,
      principals,
      roles: { ...trust.roles, root: { threshold: 1, principals: ["carl"] }, producer: ["carl"], approver },
    };
    const error = await rejects(verify(directory, testNow, stranger), "SIGNATURE_INVALID");
    assert.match(error.message, "manifest.dsse.json");
  }),
);

test(
  "a bundle whose manifest was exchanged for that of another bundle is refused",
  withBundle(async (directory, folder) => {
    const other = join(folder, "other");
    await writeTestBundle(other, new Map([...bundleFilesOf(directory), ["catalog.yaml", Buffer.from("another")]]));
    cpSync(join(other, "manifest.dsse.json"), join(directory, "manifest.dsse.json"));
    reindex(directory);
    const codes = problemsOf(await rejects(verify(directory), "HASH_MISMATCH")).map((p) => `${p.code} ${p.file}`);
    assert.ok(codes.includes("IDENTITY_MISMATCH bundle.json"));
    assert.ok(codes.includes("HASH_MISMATCH catalog.yaml"));
    assert.ok(codes.includes("APPROVAL_MISMATCH approvals/ana.dsse.json"));
  }),
);

function bundleFilesOf(directory: string): readonly (readonly [string, Buffer])[] {
  return listFiles(directory)
    .filter((path) => !path.endsWith(".dsse.json") && path !== "bundle.json")
    .map((path) => [path, readFileSync(join(directory, path))] as const);
}

test(
  "a trust policy that cannot be read refuses the bundle",
  withBundle(async (directory) => {
    const trustPolicyBytes = Buffer.concat([testTrustBytes(), Buffer.from("\n")]);
    const options = { directory, trustPolicyBytes, environment: testEnvironment, now: testNow };
    await rejects(verifyBundle(options), "NOT_CANONICAL");
  }),
);

test(
  "an environment without approvers is refused",
  withBundle(async (directory) => {
    const options = { directory, trustPolicyBytes: testTrustBytes(), environment: "staging", now: testNow };
    const error = await rejects(verifyBundle(options), "APPROVAL_MISMATCH");
    assert.match(error.message, "staging");
  }),
);

test(
  "a link in place of a file is refused",
  withBundle(async (directory) => {
    rmSync(join(directory, "policy.json"));
    symlinkSync(join(directory, "golden.json"), join(directory, "policy.json"));
    const error = await rejects(verify(directory), "FILE_REFUSED");
    assert.match(error.message, "policy.json");
  }),
);

test(
  "the end of the producer's key bounds the bundle",
  withBundle(async (directory) => {
    const trust = testTrust();
    const until = (moment: string): TrustPolicy => ({
      ...trust,
      principals: trust.principals.map((p) =>
        p.id === "pam" ? { ...p, keys: p.keys.map((k) => ({ ...k, valid_until: moment })) } : p,
      ),
    });
    const bundle = await verify(directory, testNow, until("2026-03-05T00:00:00Z"));
    assert.is(new Date(bundle.end.at).toISOString(), "2026-03-05T00:01:00.000Z");
  }),
);
