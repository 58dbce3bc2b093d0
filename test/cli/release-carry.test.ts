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

test("a folder and an archive of one bundle verify alike, and an import is that folder", () =>
  inRelease(async (cwd, built) => {
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export", "--out", "folder", "--tar", "bundle.tar");
    for (const form of ["folder", "bundle.tar"]) {
      assert.is((await succeed<Verified>(cwd, "bundle", "verify", form)).bundle_id, built.bundle, form);
    }
    const listing = async (folder: string): Promise<string> =>
      (
        await promisify(execFile)("sh", ["-c", "find . -type f | LC_ALL=C sort | xargs sha256sum"], {
          cwd: join(cwd, folder),
        })
      ).stdout;
    for (const out of ["first", "second"]) {
      await succeed(cwd, "bundle", "import", "bundle.tar", "--out", out);
      assert.is(await listing(out), await listing("folder"));
    }
    const { entries } = await succeed<{ entries: object[] }>(cwd, "history", "log", "--kind", "import");
    assert.is(entries.length, 1, "the same bundle is one entry, however often it is imported");
  }));

test("one changed byte of an archive ends with 4, and nothing is imported", () =>
  inRelease(async (cwd) => {
    await approveTwice(cwd);
    await succeed(cwd, "bundle", "export", "--tar", "bundle.tar");
    const archive = await readFile(join(cwd, "bundle.tar"));
    const at = archive.indexOf("catalog_version");
    archive.write("k", at);
    await writeFile(join(cwd, "bundle.tar"), archive);
    for (const command of [
      ["verify", "bundle.tar"],
      ["import", "bundle.tar", "--out", "imported"],
    ]) {
      const { code, stderr } = await sluice(["bundle", ...command], { cwd });
      assert.is(code, 4, stderr);
      assert.match(stderr, "HASH_MISMATCH");
    }
    const gone = await sluice(["bundle", "import", "nowhere", "--out", "imported"], { cwd });
    assert.is(gone.code, 2);
    assert.match(gone.stderr, "FILE_NOT_FOUND: nowhere: not an archive");
  }));

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
