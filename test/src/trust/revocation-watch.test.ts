import { spawnSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRevocationFile } from "../../../src/trust/revocation-file.js";
import { RevocationWatch } from "../../../src/trust/revocation-watch.js";
import { verifyBundle } from "../../../src/trust/verify/verify-bundle.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import { sha256Hex, type Sha256 } from "../../../src/base/sha256.js";
import { assert, inTemporaryFolder, test } from "../../support/test.js";
import {
  testEnvironment,
  testNow,
  testRevocations,
  testSigner,
  trustWithRevocations,
  writeTestBundle,
} from "../../support/builders-artifacts.js";

interface Watched {
  readonly watch: RevocationWatch;
  readonly path: string;
  readonly bundleId: string;
  now: Date;
}

/** A bundle that serves under a list of sequence 5 which revokes something else. */
async function watched(run: (watched: Watched) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    const path = join(folder, "revocations.json");
    const { bundleId } = await writeTestBundle(directory);
    writeFileSync(path, await testRevocations([other], { sequence: 5 }));
    const { bytes, mark } = await readRevocationFile(path);
    const verified = await verifyBundle({
      directory,
      trustPolicyBytes: canonicalBytes(trustWithRevocations()),
      environment: testEnvironment,
      revocationBytes: bytes,
      now: testNow,
    });
    const state = { path, bundleId, now: testNow };
    const watch = new RevocationWatch({ path, mark, verified, clock: () => state.now });
    await run(Object.assign(state, { watch }));
  });
}

const other = { kind: "bundle", sha256: sha256Hex("another bundle") } as const;

/** Puts a list in place as configuration is replaced: by a rename. */
function place(path: string, bytes: Uint8Array): void {
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}

async function afterReading(watch: RevocationWatch): Promise<readonly string[]> {
  assert.is(watch.problems().length, 1, "until the list is read, nothing is served");
  await watch.reading();
  return watch.problems();
}

test("an unchanged list that allows the bundle gives no problem", () =>
  watched(async ({ watch }) => {
    assert.equal(watch.problems(), []);
  }));

test("case 41: a bundle that is revoked while it serves is refused at the next question, and stays so", () =>
  watched(async ({ watch, path, bundleId }) => {
    place(path, await testRevocations([other, { kind: "bundle", sha256: bundleId as Sha256 }], { sequence: 6 }));
    assert.match((await afterReading(watch))[0] ?? "", /REVOKED/);
    assert.match(watch.problems()[0] ?? "", /REVOKED/);
  }));

test("a list that revoked the bundle stays in force when an older one takes its place", () =>
  watched(async ({ watch, path, bundleId }) => {
    const before = readFileSync(path);
    place(path, await testRevocations([other, { kind: "bundle", sha256: bundleId as Sha256 }], { sequence: 6 }));
    assert.match((await afterReading(watch))[0] ?? "", /REVOKED/);
    place(path, before);
    assert.match((await afterReading(watch))[0] ?? "", /VERSION_ROLLBACK/);
    await watch.reading();
    assert.match(watch.problems()[0] ?? "", /VERSION_ROLLBACK/);
  }));

test("a newer list that allows the bundle is used, with its later expiry", () =>
  watched(async (state) => {
    const { watch, path } = state;
    place(path, await testRevocations([other], { sequence: 6, next_update: "2026-03-30T00:00:00Z" }));
    assert.equal(await afterReading(watch), []);
    state.now = new Date("2026-03-20T00:00:00Z");
    assert.equal(watch.problems(), []);
    state.now = new Date("2026-03-30T00:01:00Z");
    assert.match(watch.problems()[0] ?? "", /expired/);
  }));

test("a list that is too old stops the bundle without any change of the file", () =>
  watched(async (state) => {
    state.now = new Date("2026-03-15T00:00:59Z");
    assert.equal(state.watch.problems(), []);
    state.now = new Date("2026-03-15T00:01:00Z");
    assert.is(state.watch.problems().length, 1);
  }));

const refused: readonly (readonly [string, () => Promise<Uint8Array>, RegExp])[] = [
  ["an older list", () => testRevocations([other], { sequence: 4 }), /VERSION_ROLLBACK/],
  ["another list of the same number", () => testRevocations([], { sequence: 5 }), /REVOCATIONS_FORK/],
  ["a list that takes something back", () => testRevocations([], { sequence: 6 }), /VERSION_ROLLBACK/],
  [
    "a list of somebody who may not revoke",
    () => testRevocations([other], { sequence: 6, revoker: "carl" }, "carl"),
    /ROLE_MISMATCH/,
  ],
  ["a list of a stranger", () => testRevocations([other], { sequence: 6 }, "stranger"), /SIGNATURE_INVALID/],
  ["garbage", async () => Buffer.from("garbage"), /NOT_CANONICAL/],
];
for (const [name, bytes, reason] of refused) {
  test(`${name} instead of the list stops the bundle, and the correct list starts it again`, () =>
    watched(async ({ watch, path }) => {
      place(path, await bytes());
      assert.match((await afterReading(watch))[0] ?? "", reason);
      place(path, await testRevocations([other], { sequence: 7 }));
      assert.equal(await afterReading(watch), []);
    }));
}

test("a list that disappears stops the bundle until it is back", () =>
  watched(async ({ watch, path }) => {
    rmSync(path);
    assert.match((await afterReading(watch))[0] ?? "", /the revocation list .*revocations\.json is missing/);
    await watch.reading();
    place(path, await testRevocations([other], { sequence: 5 }));
    assert.equal(await afterReading(watch), []);
  }));

test("a key that a list revokes cannot sign the next one", () =>
  watched(async ({ watch, path }) => {
    const { keyId } = testSigner("ana");
    const stolen = { kind: "key", sha256: keyId } as const;
    place(path, await testRevocations([other, stolen], { sequence: 6, revoker: "bob" }, "bob"));
    assert.match((await afterReading(watch))[0] ?? "", /REVOKED/);
    place(path, await testRevocations([other, stolen], { sequence: 7 }));
    assert.match((await afterReading(watch))[0] ?? "", /REVOKED/);
  }));

test("a list that becomes a pipe or a device refuses the bundle, and its reading ends", () =>
  watched(async ({ watch, path }) => {
    for (const replace of [() => spawnSync("mkfifo", [path]), () => symlinkSync("/dev/zero", path)]) {
      rmSync(path);
      replace();
      watch.problems();
      await watch.reading();
      assert.match(watch.problems()[0] ?? "", "cannot be used (FILE_REFUSED)");
    }
  }));
