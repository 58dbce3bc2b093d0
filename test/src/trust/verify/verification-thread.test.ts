import { join } from "node:path";
import { rmSync, writeFileSync } from "node:fs";
import { verifyAgainInThread, verifyInThread } from "../../../../src/trust/verify/verification-thread.js";
import { type VerifiedBundle, verifyBundle } from "../../../../src/trust/verify/verify-bundle.js";
import { assert, inTemporaryFolder, rejects, test } from "../../../support/test.js";
import { testEnvironment, testNow, testTrustBytes, writeTestBundle } from "../../../support/builders-artifacts.js";

const question = { trustPolicyBytes: testTrustBytes(), environment: testEnvironment, now: testNow };

/** Everything but the keys, which are objects of the runtime. */
function comparable({ question: { trust }, ...rest }: VerifiedBundle) {
  const signed = {
    manifest: Buffer.from(rest.signed.manifestBytes).toString(),
    approvals: [...rest.signed.approvals].map(([file, bytes]) => [file, Buffer.from(bytes).toString()]),
  };
  return { ...rest, signed, policy: trust.policy, keyIds: trust.keys.map(({ keyId }) => keyId) };
}

test("a bundle that was verified in a thread is what it is without one, bytes included", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    await writeTestBundle(directory);
    const there = await verifyInThread({ directory, ...question });
    assert.equal(comparable(there), comparable(await verifyBundle({ directory, ...question })));
    for (const bytes of [there.catalogBytes, there.goldenBytes, ...there.verifierFiles.values()]) {
      assert.ok(Buffer.isBuffer(bytes));
    }
  }));

test("bytes outlive the files that they came from", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    await writeTestBundle(directory);
    const before = (await verifyBundle({ directory, ...question })).policyBytes;
    const there = await verifyInThread({ directory, ...question });
    rmSync(directory, { recursive: true });
    assert.ok(there.policyBytes.equals(before));
  }));

test("a refusal comes back with code, message, hint and every problem", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    await writeTestBundle(directory);
    writeFileSync(join(directory, "policy.json"), "forged");
    rmSync(join(directory, "golden.json"));
    const here = await rejects(verifyBundle({ directory, ...question }), "FILE_MISSING");
    for (const verify of [verifyInThread, verifyAgainInThread]) {
      const there = await rejects(verify({ directory, ...question }), "FILE_MISSING");
      assert.equal([there.message, there.hint, there.details], [here.message, here.hint, here.details]);
    }
  }));

test("verifying a bundle again reads no model bytes", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    const { bundleId } = await writeTestBundle(directory);
    const again = await verifyAgainInThread({ directory, ...question });
    assert.is(again.bundleId, bundleId);
    assert.equal(Object.keys(again).sort(), ["bundleId", "end", "fileStats", "question", "signed"]);
  }));
