import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Folders that this process knows, by what they hold. */
const known = new Map<string, Promise<string>>();

/** The folder of everything that is made once: that of the run, which its end removes, otherwise one of this process. */
function home(): string {
  const claims = process.env["SLUICE_TEST_CLAIMS"];
  if (claims !== undefined) return join(claims, "made-once");
  const own = mkdtempSync(join(tmpdir(), "sluice-made-"));
  process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  return own;
}

let homeOfRun: string | undefined;

/**
 * Makes a folder once for all test files of a run, whichever runner needs it first; the others wait. Nobody may change
 * its contents.
 */
export function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  homeOfRun ??= home();
  const folder = join(homeOfRun, name);
  const made = known.get(name) ?? makeOrWait(folder, make);
  known.set(name, made);
  return made;
}

async function makeOrWait(folder: string, make: (folder: string) => Promise<void>): Promise<string> {
  const unfinished = `${folder}.unfinished`;
  mkdirSync(join(folder, ".."), { recursive: true });
  if (existsSync(folder)) return folder;
  try {
    mkdirSync(unfinished);
  } catch {
    while (existsSync(unfinished)) await wait(100);
    if (existsSync(folder)) return folder;
    throw new Error(`another runner could not make ${folder}`);
  }
  try {
    await make(unfinished);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}
