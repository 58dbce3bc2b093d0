import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defaultDirectoryLimits, dirHash1, readDirectory } from "../../../src/trust/directory-hash.js";
import { inTemporaryFolder } from "../../support/builders-artifacts.js";
import { rejects } from "../../support/rejects.js";

const test = suite("src/trust/directory-hash");

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

test("moving a boundary between files changes the digest", async () => {
  const digest = (files: Readonly<Record<string, string>>) =>
    inTemporaryFolder(async (root) => {
      for (const [path, content] of Object.entries(files)) write(root, path, content);
      return dirHash1((await readDirectory(root)).entries);
    });
  const two = await digest({ "config.json": "C", "model.onnx": "W" });
  assert.is.not(two, await digest({ "config.json": "C\0model.onnx\0W" }));
  assert.is.not(two, await digest({ "config.json": "C", "model.onny": "W" }));
});

test("links are refused: to a file inside, outside, to a folder, dangling", async () => {
  for (const target of ["file", "/etc/hostname", "folder", "nowhere"]) {
    await inTemporaryFolder(async (root) => {
      write(root, "file");
      write(root, "folder/file");
      symlinkSync(target, join(root, "link"));
      const error = await rejects(readDirectory(root), "FILE_REFUSED");
      assert.match(error.message, "link");
    });
  }
});

test("a fifo and a socket are refused without waiting", () =>
  inTemporaryFolder(async (root) => {
    write(root, "file");
    execFileSync("mkfifo", [join(root, "pipe")]);
    await rejects(readDirectory(root), "FILE_REFUSED");
    execFileSync("rm", [join(root, "pipe")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, "socket"), resolve));
    await rejects(readDirectory(root), "FILE_REFUSED");
    await new Promise((resolve) => server.close(resolve));
  }));

const badNames: readonly (readonly [string, Buffer])[] = [
  ["a newline", Buffer.from("a\nb")],
  ["a backslash", Buffer.from("a\\b")],
  ["an escape character", Buffer.from("a\u001bb")],
  ["invalid UTF-8", Buffer.from([0x61, 0xff])],
  ["a decomposed letter", Buffer.from("e\u0301")],
];
for (const [name, bytes] of badNames) {
  test(`a file name with ${name} is refused`, () =>
    inTemporaryFolder(async (root) => {
      writeFileSync(Buffer.concat([Buffer.from(`${root}/`), bytes]), "x");
      const { message } = await rejects(readDirectory(root), "FILE_REFUSED");
      assert.not.ok(/\p{Cc}/u.test(message));
    }));
}

test("names that differ in letter case only are refused", () =>
  inTemporaryFolder(async (root) => {
    write(root, "Model.onnx");
    write(root, "model.onnx");
    await rejects(readDirectory(root), "FILE_REFUSED");
  }));

test("an empty tree and a missing folder are refused", () =>
  inTemporaryFolder(async (root) => {
    mkdirSync(join(root, "a", "b"), { recursive: true });
    await rejects(readDirectory(root), "FILE_MISSING");
    await rejects(readDirectory(join(root, "nowhere")), "FILE_NOT_FOUND");
  }));

test("an 8 GiB sparse file is refused before it is read", () =>
  inTemporaryFolder(async (root) => {
    write(root, "sparse", "");
    truncateSync(join(root, "sparse"), 8 * 1024 ** 3);
    await rejects(readDirectory(root), "FILE_REFUSED");
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

test.run();
