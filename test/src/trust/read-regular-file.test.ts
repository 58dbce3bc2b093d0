import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "../../../src/trust/read-regular-file.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";

const stat = (path: string) => lstatSync(path, { bigint: true });

/** A folder with one file `sub/file`, as it was listed. */
function withListedFile(run: (root: string, read: () => Promise<Buffer>) => Promise<void>): () => Promise<void> {
  return () =>
    inTemporaryFolder(async (root) => {
      mkdirSync(join(root, "sub"));
      writeFileSync(join(root, "sub", "file"), "content");
      const listed = stat(join(root, "sub", "file"));
      await run(root, () => readRegularFile(root, "sub/file", listed));
    });
}

test(
  "an unchanged file is read",
  withListedFile(async (_root, read) => {
    assert.is((await read()).toString(), "content");
  }),
);

test(
  "a file that disappeared is found",
  withListedFile(async (root, read) => {
    rmSync(join(root, "sub", "file"));
    await rejects(read(), "FILE_CHANGED");
  }),
);

test(
  "a link in place of the file is refused",
  withListedFile(async (root, read) => {
    renameSync(join(root, "sub", "file"), join(root, "moved"));
    symlinkSync(join(root, "moved"), join(root, "sub", "file"));
    const error = await rejects(read(), "FILE_REFUSED");
    assert.match(error.message, "sub/file");
  }),
);

test(
  "a folder in place of the file is refused",
  withListedFile(async (root, read) => {
    rmSync(join(root, "sub", "file"));
    mkdirSync(join(root, "sub", "file"));
    await rejects(read(), "FILE_REFUSED");
  }),
);
