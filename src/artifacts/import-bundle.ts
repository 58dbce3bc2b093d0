import { randomBytes } from "node:crypto";
import { lstat, mkdir, rm } from "node:fs/promises";
import { SluiceError } from "../errors/error.js";
import { moveIntoPlace, writeStaging } from "./export-bundle.js";
import { readTar } from "./tar.js";

export interface ImportBundleOptions {
  readonly archive: Uint8Array;
  /** Folder to create; its parent exists. */
  readonly directory: string;
  /** Judges the unpacked folder before it takes its place; when it throws, nothing is left. */
  readonly check: (staged: string) => Promise<void>;
}

/**
 * Unpacks an archive into a folder that is complete and verified, or absent: staged beside its place, flushed, judged
 * and renamed. A second import beside it finds the folder there.
 * @throws {SluiceError} FILE_EXISTS, WRITE_FAILED, the codes of `readTar` and of `check`
 */
export async function importBundle({ archive, directory, check }: ImportBundleOptions): Promise<void> {
  const files = readTar(archive);
  const found = await lstat(directory).catch(() => undefined);
  if (found !== undefined) {
    throw new SluiceError("FILE_EXISTS", `${directory}: exists already`, { hint: "Choose another folder." });
  }
  const staging = `${directory}.staging-${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(staging);
    await writeStaging(staging, files);
    await check(staging);
    await moveIntoPlace(staging, directory, false);
  } catch (cause) {
    await rm(staging, { recursive: true, force: true });
    if (cause instanceof SluiceError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw new SluiceError("WRITE_FAILED", `${directory}: the bundle cannot be written (${code})`, { cause });
  }
}
