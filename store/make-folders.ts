import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing ancestors. Node's recursive `mkdir` never returns if an existing folder answers
 * every creation with ENOENT, as `/proc` does; this function rejects with that code.
 */
export async function makeFolders(path: string, options: { readonly mode?: number } = {}): Promise<void> {
  const failed = await tryFolder(path, options);
  if (failed === null) return;
  const parent = dirname(path);
  if (failed.code !== "ENOENT" || parent === path || (await isFolder(parent))) throw failed;
  await makeFolders(parent, options);
  const again = await tryFolder(path, options);
  if (again !== null) throw again;
}

/** Returns null once the folder exists. */
async function tryFolder(path: string, options: { readonly mode?: number }): Promise<NodeJS.ErrnoException | null> {
  try {
    await mkdir(path, options);
    return null;
  } catch (thrown) {
    const failed = thrown as NodeJS.ErrnoException;
    return failed.code === "EEXIST" && (await isFolder(path)) ? null : failed;
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
