import { readFile } from "node:fs/promises";
import { join } from "node:path";

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
