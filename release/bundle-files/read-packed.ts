import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { readInput } from "../../src/base/files.js";
import { readTar } from "./tar.js";
import { oci } from "./oci-layout.js";
import { readDirectory } from "../../src/trust/directory-hash.js";
import { readOciLayout } from "./read-oci-layout.js";

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Reads the files of a packed bundle: a tar archive, or a folder with an OCI image layout. Returns null for any other
 * folder, for links and for missing paths.
 * @throws {SluiceError} the codes of `readTar`, of `readOciLayout` and of `readDirectory`; READ_FAILED
 */
export async function readPacked(path: string): Promise<ReadonlyMap<string, Buffer> | null> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return null;
  if (found.isFile()) {
    return readTar(await readInput(path));
  }
  if (!found.isDirectory() || !(await exists(join(path, oci.layoutFile)))) return null;
  return readOciLayout((await readDirectory(path)).files);
}
