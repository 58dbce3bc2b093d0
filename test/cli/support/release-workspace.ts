import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inTemporaryFolder } from "../../support/temporary-folder.js";
import { madeOnce } from "./made-once.js";
import { type Finished, sluice } from "./sluice.js";
import { type Person, scoreSmallWorkspace, signedBy, succeed, writeSmallTrust } from "./small-workspace.js";

/** A workspace with keys, a trust policy and a signed manifest that nobody has approved. */
export interface ReleaseWorkspace {
  readonly folder: string;
  readonly bundle: string;
  readonly manifest: string;
}

/** Built once for all test files of a run. */
export async function releaseWorkspace(): Promise<ReleaseWorkspace> {
  const made = await madeOnce("release", async (home) => {
    const folder = join(home, "workspace");
    await mkdir(folder);
    await scoreSmallWorkspace(folder);
    await succeed(folder, "calibrate", "fit", "--target", "0.7", "--delta", "0.6");
    await writeSmallTrust(folder);
    const signing = ["manifest", "create", "--producer", "ann", ...signedBy("ann")];
    const created = await succeed<{ bundle_id: string; manifest: string }>(folder, ...signing);
    await writeFile(
      join(home, "release.json"),
      JSON.stringify({ bundle: created.bundle_id, manifest: created.manifest }),
    );
  });
  const ids = JSON.parse(await readFile(join(made, "release.json"), "utf8")) as Omit<ReleaseWorkspace, "folder">;
  return { folder: join(made, "workspace"), ...ids };
}

/** Runs in a copy of that workspace. */
export async function inRelease<T>(run: (cwd: string, release: ReleaseWorkspace) => Promise<T>): Promise<T> {
  const release = await releaseWorkspace();
  return inTemporaryFolder(async (copy) => {
    await cp(release.folder, copy, { recursive: true });
    return run(copy, release);
  });
}

/** Approves without a question. */
export function approveAs(cwd: string, person: Person, ...more: readonly string[]): Promise<Finished> {
  return sluice(["approve", "--approver", person, ...signedBy(person), "--yes", ...more], { cwd });
}

/** Two approvals of two people. */
export async function approveTwice(cwd: string): Promise<void> {
  await succeed(cwd, "approve", "--approver", "bo", ...signedBy("bo"), "--yes");
  await succeed(cwd, "approve", "--approver", "cy", ...signedBy("cy"), "--yes");
}
