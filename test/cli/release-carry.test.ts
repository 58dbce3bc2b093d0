import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert, test } from "../support/test.js";
import { programs } from "../support/run-program.js";
import { testWithTool } from "../support/external-tool.js";
import { approveTwice, inRelease } from "./support/release-workspace.js";
import { sluice } from "./support/sluice.js";
import { succeed } from "./support/small-workspace.js";

interface Verified {
  readonly bundle_id: string;
}

test("a folder, an archive and an OCI layout of one bundle verify alike, and imports of both are that folder", () =>
  inRelease(async (cwd, built) => {
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export", "--out", "folder", "--tar", "bundle.tar", "--oci", "layout");
    for (const form of ["folder", "bundle.tar", "layout"]) {
      assert.is((await succeed<Verified>(cwd, "bundle", "verify", form)).bundle_id, built.bundle, form);
    }
    const listing = async (folder: string): Promise<string> =>
      (
        await promisify(execFile)("sh", ["-c", "find . -type f | LC_ALL=C sort | xargs sha256sum"], {
          cwd: join(cwd, folder),
        })
      ).stdout;
    for (const form of ["bundle.tar", "layout"]) {
      await succeed(cwd, "bundle", "import", form, "--out", `from-${form}`);
      assert.is(await listing(`from-${form}`), await listing("folder"));
    }
    const { entries } = await succeed<{ entries: object[] }>(cwd, "history", "log", "--kind", "import");
    assert.is(entries.length, 1, "the same bundle is one entry, however often it is imported");
    await succeed(cwd, "bundle", "export", "--out", "second", "--oci", "second-layout");
    assert.is(await listing("second-layout"), await listing("layout"));
  }));

test("one changed byte of an archive or of a layout ends with 4, and nothing is imported", () =>
  inRelease(async (cwd) => {
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export", "--tar", "bundle.tar", "--oci", "layout");
    const archive = await readFile(join(cwd, "bundle.tar"));
    const at = archive.indexOf("catalog_version");
    archive.write("k", at);
    await writeFile(join(cwd, "bundle.tar"), archive);
    const { bytes } = await blobOf(cwd);
    await writeFile(bytes.path, bytes.changed);
    for (const form of ["bundle.tar", "layout"]) {
      for (const command of [
        ["verify", form],
        ["import", form, "--out", "imported"],
      ]) {
        const { code, stderr } = await sluice(["bundle", ...command], { cwd });
        assert.is(code, 4, stderr);
        assert.match(stderr, "HASH_MISMATCH");
      }
    }
    const gone = await sluice(["bundle", "import", "nowhere", "--out", "imported"], { cwd });
    assert.is(gone.code, 2);
    assert.match(gone.stderr, "FILE_NOT_FOUND: nowhere: neither an archive nor an OCI layout");
  }));

/** The blob of the policy, and what an attacker makes of it. */
async function blobOf(cwd: string) {
  const index = join(cwd, "sluice-workspace", "bundle", "bundle.json");
  const { files } = JSON.parse(await readFile(index, "utf8")) as { files: { path: string; sha256: string }[] };
  const digest = files.find(({ path }) => path === "policy.json")?.sha256 ?? "";
  const path = join(cwd, "layout", "blobs", "sha256", digest);
  const content = await readFile(path);
  return { bytes: { path, changed: Buffer.concat([content, Buffer.from(" ")]) } };
}

testWithTool(test, "unshare -n", "case 71: bundle and history verify in a process that has no network at all", () =>
  inRelease(async (cwd, built) => {
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export", "--tar", "bundle.tar");
    const isolated = async (...args: readonly string[]): Promise<string> => {
      const words = ["-rn", process.execPath, programs.sluice, ...args];
      return (await promisify(execFile)("unshare", words, { cwd })).stdout;
    };
    assert.match(await isolated("bundle", "verify"), built.bundle);
    assert.match(await isolated("bundle", "verify", "bundle.tar"), built.bundle);
    assert.match(await isolated("history", "verify"), "root");
  }),
);
