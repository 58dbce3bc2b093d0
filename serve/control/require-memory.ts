import { lstat, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bundleFiles } from "../../src/trust/bundle-layout.js";
import { SluiceError } from "../../src/base/error.js";

/** Memory of a loaded bundle in bytes, as measured by `bench/bundle-memory.ts`. */
const needed = {
  /** Per byte of the bundle's files: the files themselves, once, and the sessions of each worker. */
  perFileByte: 1,
  perFileByteAndWorker: 3,
  /** Per byte of the stored index: one copy as read, and one in the memory that all threads share. */
  perIndexByte: 2,
  /** Per scoring thread: its isolate, the model runtime and an index of a few hundred workflows. */
  perWorker: 144 * 1024 ** 2,
} as const;

export interface MemoryQuestion {
  readonly directory: string;
  readonly workers: number;
  /** Returns the memory available to the process, in bytes. */
  readonly available: () => Promise<number>;
}

/** Bytes needed to load a bundle, from the size of its stored index and of its other files. */
export function memoryNeed(fileBytes: number, workers: number, indexBytes = 0): number {
  const files = fileBytes * (needed.perFileByte + needed.perFileByteAndWorker * workers);
  return files + indexBytes * needed.perIndexByte + needed.perWorker * workers;
}

/**
 * Checks that a bundle fits in memory before it is loaded.
 * @throws {SluiceError} MEMORY_LIMIT with both numbers; FILE_NOT_FOUND, READ_FAILED
 */
export async function requireMemory({ directory, workers, available }: MemoryQuestion): Promise<void> {
  const { files, index } = await folderBytes(directory);
  const need = memoryNeed(files, workers, index);
  const left = await available();
  if (need <= left) return;
  throw new SluiceError(
    "MEMORY_LIMIT",
    `${directory}: requires about ${need} bytes of memory, but ${left} are available`,
    {
      hint: "Raise the memory limit, lower --workers, or start another server on this bundle.",
      details: { neededBytes: need, availableBytes: left },
    },
  );
}

const indexFolder = dirname(bundleFiles.vectors);

/** Total size of a bundle's stored index and of its other files, in bytes. */
async function folderBytes(directory: string): Promise<{ readonly files: number; readonly index: number }> {
  const names = await readdir(directory, { recursive: true }).catch((cause: NodeJS.ErrnoException) => {
    const missing = cause.code === "ENOENT";
    throw new SluiceError(missing ? "FILE_NOT_FOUND" : "READ_FAILED", `${directory}: not a readable folder`, {
      hint: "Use the folder of an exported bundle.",
      cause,
    });
  });
  let [files, index] = [0, 0];
  for (const [at, size] of (await Promise.all(names.map((name) => fileBytes(join(directory, name))))).entries()) {
    if (dirname(names[at] ?? "") === indexFolder) index += size;
    else files += size;
  }
  return { files, index };
}

async function fileBytes(path: string): Promise<number> {
  const found = await lstat(path);
  return found.isFile() ? found.size : 0;
}

/**
 * Memory available to this process, in bytes: that of the machine or what its control group (version 2) leaves,
 * whichever is smaller. The file cache counts as available.
 * @param root  "/" except in tests
 * @param free  bytes to report if the machine provides no figure
 */
export async function availableMemory(root: string, free: () => number): Promise<number> {
  const machine = await machineBytes(root);
  const group = await groupBytes(root);
  return Math.min(machine ?? free(), group ?? Number.POSITIVE_INFINITY);
}

async function machineBytes(root: string): Promise<number | null> {
  const text = await readText(join(root, "proc/meminfo"));
  const found = /^MemAvailable:\s+(\d+) kB$/mu.exec(text ?? "");
  return found === null ? null : Number(found[1]) * 1024;
}

async function groupBytes(root: string): Promise<number | null> {
  const folder = join(root, "sys/fs/cgroup");
  const limit = Number((await readText(join(folder, "memory.max")))?.trim());
  const used = Number((await readText(join(folder, "memory.current")))?.trim());
  if (!Number.isFinite(limit) || !Number.isFinite(used)) return null;
  const cache = /^inactive_file (\d+)$/mu.exec((await readText(join(folder, "memory.stat"))) ?? "");
  return Math.max(0, limit - used + Number(cache?.[1] ?? 0));
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}
