import { lstatSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleFilesUnchanged } from "../../../src/trust/recheck-files.js";
import { readDirectory } from "../../../src/trust/directory-hash.js";
import { assert, inTemporaryFolder, test } from "../../support/test.js";

const changes: readonly (readonly [string, (root: string) => void])[] = [
  ["a write", (root) => writeFileSync(join(root, "sub", "file"), "longer content")],
  [
    "a write of the same size with the old modification time",
    (root) => {
      const path = join(root, "sub", "file");
      const { atimeMs, mtimeMs } = lstatSync(path);
      writeFileSync(path, "CONTENT");
      utimesSync(path, atimeMs / 1000, mtimeMs / 1000);
    },
  ],
  [
    "a rename over a file",
    (root) => {
      writeFileSync(`${root}-new`, "content");
      renameSync(`${root}-new`, join(root, "sub", "file"));
    },
  ],
  ["a removed file", (root) => rmSync(join(root, "sub", "file"))],
  ["a new file", (root) => writeFileSync(join(root, "sub", "new"), "")],
  ["a removed folder", (root) => rmSync(root, { recursive: true })],
];

for (const [name, change] of changes) {
  test(`${name} is noticed`, () =>
    inTemporaryFolder(async (folder) => {
      const root = join(folder, "bundle");
      mkdirSync(join(root, "sub"), { recursive: true });
      writeFileSync(join(root, "sub", "file"), "content");
      const { stats } = await readDirectory(root);
      assert.ok(bundleFilesUnchanged(stats));
      change(root);
      assert.not.ok(bundleFilesUnchanged(stats));
    }));
}
