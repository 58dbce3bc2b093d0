import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findBundles } from "../../../serve/watch/find-bundles.js";
import { readDirectory } from "../../../src/trust/directory-hash.js";
import { leftBehind, oldOf, stagingOf } from "../../../src/trust/left-behind.js";
import { writeFolder } from "../../../release/bundle-files/write-folder.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";
import { writeTestBundle } from "../../support/builders-artifacts.js";
import { verifyTestBundle } from "../../support/verify-test-bundle.js";

const files = new Map([["new.txt", Buffer.from("new")]]);

/** The state of a writer that was killed between the two renames of an exchange. @returns where the folder went */
function killedBetweenRenames(directory: string): string {
  const staging = stagingOf(directory);
  mkdirSync(staging);
  writeFileSync(join(staging, "staged.txt"), "staged");
  renameSync(directory, oldOf(staging));
  return oldOf(staging);
}

test("the next writer puts a folder back that was moved away, then replaces it, and names what is left", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    await writeTestBundle(directory);
    const old = killedBetweenRenames(directory);
    const staged = old.replace(/\.old$/u, "");
    assert.equal(await writeFolder({ directory, files, replace: true }), { restored: true, left_behind: [staged] });
    assert.equal(readdirSync(directory), ["new.txt"]);
    assert.equal(await writeFolder({ directory, files, replace: true }), { restored: false, left_behind: [staged] });
  }));

test("a writer that may not replace puts it back as well, whole, and then refuses", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    const { bundleId } = await writeTestBundle(directory);
    killedBetweenRenames(directory);
    await rejects(writeFolder({ directory, files }), "FILE_EXISTS");
    assert.is((await verifyTestBundle(directory)).bundleId, bundleId);
  }));

test("until then the error says where the bundle is and how to restore it", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    await writeTestBundle(directory);
    const old = killedBetweenRenames(directory);
    for (const look of [verifyTestBundle, findBundles]) {
      const error = await rejects(look(directory), "FILE_NOT_FOUND");
      assert.ok(error.message.includes(old), error.message);
      assert.ok(error.hint?.includes(`mv ${old} ${directory}`), error.hint);
    }
    renameSync(old, directory);
    assert.is((await findBundles(directory)).claims.length, 1);
  }));

test("of several that were moved away the newest comes back, and the others are named", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "out");
    for (const [name, year] of [
      ["second", "2026"],
      ["first", "2025"],
    ] as const) {
      mkdirSync(directory);
      writeFileSync(join(directory, name), name);
      const written = new Date(`${year}-01-01T00:00:00Z`);
      utimesSync(directory, written, written);
      killedBetweenRenames(directory);
    }
    await rejects(writeFolder({ directory, files }), "FILE_EXISTS");
    assert.equal(readdirSync(directory), ["second"]);
    assert.is((await leftBehind(directory)).filter((path) => path.endsWith(".old")).length, 1);
  }));

test("a watched folder passes over bundles that are being written or were moved away", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "bundle");
    await writeTestBundle(directory);
    const copy = { directory: join(folder, "next"), files: (await readDirectory(directory)).files };
    const seen: number[] = [];
    await writeFolder({ ...copy, check: async () => void seen.push((await findBundles(folder)).claims.length) });
    assert.equal([...seen, (await findBundles(folder)).claims.length], [1, 2]);
    rmSync(copy.directory, { recursive: true });
    killedBetweenRenames(directory);
    assert.equal((await findBundles(folder)).claims, []);
    assert.not(existsSync(directory));
  }));

test("folders with other names are not treated as leftovers", () =>
  inTemporaryFolder(async (folder) => {
    const directory = join(folder, "out");
    for (const name of [
      ".out.staging-xyz",
      ".other.staging-0123456789ab",
      "out.staging-0123456789ab.old",
      ".out.staging-",
    ])
      mkdirSync(join(folder, name));
    assert.equal(await writeFolder({ directory, files }), { restored: false, left_behind: [] });
  }));
