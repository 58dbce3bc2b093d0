import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defaultDirectoryLimits, dirHash1, readDirectory } from "../../../src/trust/directory-hash.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";

function write(root: string, path: string, content: string | Uint8Array = "x"): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

test("the digest equals that of find, sort and sha256sum", () =>
  inTemporaryFolder(async (root) => {
    for (const path of ["b", "a/z", "a.txt", "-dash", "with space", "a/sub/é", "Z", "\u{1f600}", "\uffee", ".hidden"]) {
      write(root, path, `content of ${path}`);
    }
    mkdirSync(join(root, "empty-folder"));
    const { entries, files } = await readDirectory(root);
    const pipeline =
      "set -o pipefail; find . -type f -print0 | cut -z -c3- | LC_ALL=C sort -z | xargs -0 sha256sum -- | sha256sum";
    const expected = execFileSync("bash", ["-c", pipeline], { cwd: root, encoding: "utf8" }).slice(0, 64);
    assert.is(dirHash1(entries), expected);
    assert.is(dirHash1(entries.toReversed()), expected);
    assert.equal(
      [...files.keys()],
      entries.map((entry) => entry.path),
    );
  }));

test("paths are sorted by bytes, not by UTF-16 units or locale", () =>
  inTemporaryFolder(async (root) => {
    for (const path of ["\u{1f600}", "\uffee", "b", "A", "a"]) write(root, path === "a" ? "c/a" : path);
    const { entries } = await readDirectory(root);
    assert.equal(
      entries.map((entry) => entry.path),
      ["A", "b", "c/a", "\uffee", "\u{1f600}"],
    );
  }));

test("an empty tree and a missing folder are refused", () =>
  inTemporaryFolder(async (root) => {
    mkdirSync(join(root, "a", "b"), { recursive: true });
    await rejects(readDirectory(root), "FILE_MISSING");
    await rejects(readDirectory(join(root, "nowhere")), "FILE_NOT_FOUND");
  }));

test("the number of files, the depth and the total size are bounded", () =>
  inTemporaryFolder(async (root) => {
    for (const path of ["a", "b", "c/d/e"]) write(root, path, "12345");
    const limited = (limits: object) => readDirectory(root, { ...defaultDirectoryLimits, ...limits });
    await limited({ maxFiles: 3, maxDepth: 2, maxTotalBytes: 15, maxFileBytes: 5 });
    await rejects(limited({ maxFiles: 2 }), "FILE_REFUSED");
    await rejects(limited({ maxDepth: 1 }), "FILE_REFUSED");
    await rejects(limited({ maxTotalBytes: 14 }), "FILE_REFUSED");
    await rejects(limited({ maxFileBytes: 4 }), "FILE_REFUSED");
    const deep = join(root, ...Array.from({ length: 100 }, () => "d"));
    mkdirSync(deep, { recursive: true });
    await rejects(readDirectory(root), "FILE_REFUSED");
  }));
