import { spawnSync } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { assert, inTemporaryFolder, pluck, skipTest, test } from "../support/test.js";
import { sluice } from "./support/sluice.js";
import { fitSmallWorkspace, succeed, writeSmallDataset } from "./support/small-workspace.js";

test("an interrupted run says how to resume, and ends like an uninterrupted run", () =>
  inTemporaryFolder(async (folder) => {
    const [whole, cut] = [join(folder, "whole"), join(folder, "cut")];
    await mkdir(whole);
    await fitSmallWorkspace(whole, { patterns: false });
    await cp(whole, cut, { recursive: true });

    const stopped = await sluice(["eval", "run"], { cwd: cut, interruptAfter: "scoring: 25%" });
    assert.is(stopped.code, 130, stopped.stderr);
    assert.match(stopped.stderr, "INTERRUPTED");
    assert.match(stopped.stderr, "hint     Resume with: sluice eval run\n");
    assert.not.match(stopped.stderr, "scoring: 100%");
    const none = await succeed<{ entries: object[] }>(cut, "history", "log", "--kind", "run");
    assert.equal(none.entries, []);

    const resumed = await succeed<{ run: string }>(cut, "eval", "run");
    const uninterrupted = await succeed<{ run: string }>(whole, "eval", "run");
    assert.is(resumed.run, uninterrupted.run);
  }));

const fullDisk =
  "a full disk ends with WRITE_FAILED and 1; what was kept before is whole, and space lets the command finish";
/** Holds an empty history, not the requests. */
const diskSize = (kibibytes: number): string => `size=${kibibytes}k`;

const mountDisk = (folder: string, ...options: readonly string[]): boolean =>
  spawnSync("mount", ["-t", "tmpfs", "-o", options.join(","), "tmpfs", folder]).status === 0;

/** Runs with a folder on a separate disk; null when this user may not mount one. */
const onSmallDisk = <T>(kibibytes: number, run: (disk: string) => Promise<T>): Promise<T | null> =>
  inTemporaryFolder(async (disk) => {
    if (!mountDisk(disk, diskSize(kibibytes))) return null;
    try {
      return await run(disk);
    } finally {
      spawnSync("umount", [disk]);
    }
  });

const mayMount = await onSmallDisk(64, async () => true);

if (mayMount === null) skipTest(fullDisk, "the right to mount a tmpfs");
else {
  test(fullDisk, () =>
    inTemporaryFolder(async (cwd) => {
      await onSmallDisk(200, async (disk) => {
        await writeSmallDataset(cwd, { patterns: true });
        const workspace = ["--workspace", join(disk, "ws")];
        const importing = ["dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml"];
        const full = await sluice([...importing, ...workspace], { cwd });
        assert.is(full.code, 1, full.stderr);
        assert.match(full.stderr, /WRITE_FAILED: .*disk is full/);
        assert.match(full.stderr, "hint     Free some space");
        await succeed(cwd, "history", "verify", ...workspace);

        assert.ok(mountDisk(disk, "remount", diskSize(8192)));
        await succeed(cwd, ...importing, ...workspace);
        const log = await succeed<{ entries: { kind: string }[] }>(cwd, "history", "log", ...workspace);
        assert.equal(pluck(log.entries, "kind"), ["catalog", "dataset"]);
      });
    }),
  );
}
