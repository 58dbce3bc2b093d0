import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseTrustPolicy } from "../../src/trust/trust-policy.js";
import { publicKeyToPem } from "../../src/trust/public-key.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { testSigner } from "../support/builders-artifacts.js";
import { sluice } from "./support/sluice.js";

/** A folder with the public keys of these people. */
const withKeys = <T>(people: readonly string[], run: (cwd: string) => Promise<T>): Promise<T> =>
  inTemporaryFolder(async (cwd) => {
    for (const person of people) {
      await writeFile(join(cwd, `${person}.pub.pem`), publicKeyToPem(testSigner(person).publicKey));
    }
    return run(cwd);
  });

const principals = (people: readonly string[]): readonly string[] =>
  people.flatMap((person) => ["--principal", `${person}=${person}.pub.pem`]);

test("the written policy is canonical, valid, and names everybody with their key", () =>
  withKeys(["ann", "bo", "cy"], async (cwd) => {
    const roles = ["--producer", "ann", "--approver", "bo", "--approver", "cy", "--expires", "365d"];
    const { code, stderr } = await sluice(["trust", "create", ...principals(["ann", "bo", "cy"]), ...roles], { cwd });
    assert.is(code, 0);
    assert.not.match(stderr, /warning/);
    const { policy } = parseTrustPolicy(await readFile(join(cwd, "sluice-workspace", "trust.json")));
    assert.equal(policy.roles, {
      root: { threshold: 2, principals: ["bo", "cy"] },
      revoker: ["bo", "cy"],
      producer: ["ann"],
      approver: [{ environment: "production", threshold: 2, principals: ["bo", "cy"] }],
    });
    assert.equal(
      policy.principals.map(({ keys }) => keys.map((key) => key.key_id)),
      ["ann", "bo", "cy"].map((person) => [testSigner(person).keyId]),
    );
    const again = await sluice(["trust", "create", ...principals(["ann"]), "--threshold", "1", "--expires", "1d"], {
      cwd,
    });
    assert.is(again.code, 4);
  }));

test("a policy that lets one person release, or cannot be met, is written with warnings", () =>
  withKeys(["ann"], async (cwd) => {
    const roles = ["--producer", "ann", "--approver", "ann", "--threshold", "1", "--expires", "30d", "--out", "t.json"];
    const { code, stderr } = await sluice(["trust", "create", ...principals(["ann"]), ...roles], { cwd });
    assert.is(code, 0);
    assert.match(stderr, /warning {2}with a threshold of 1, one person alone can approve/);
    assert.match(stderr, /warning {2}only 0 of 1 approvers are not producers/);
  }));

test("a policy that contradicts itself is refused with 4 and not written", () =>
  withKeys(["ann"], async (cwd) => {
    const { code, stderr } = await sluice(
      ["trust", "create", ...principals(["ann"]), "--producer", "bo", "--approver", "ann", "--expires", "30d"],
      { cwd },
    );
    assert.is(code, 4);
    assert.match(stderr, /TRUST_POLICY_INVALID/);
    assert.is((await sluice(["bundle", "verify"], { cwd })).code, 2);
  }));
