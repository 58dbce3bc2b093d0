import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Descriptors reserved for bundle files, inference threads, the log, metrics and the control socket. */
const reserved = 128;
const fewestConnections = 16;
const mostConnections = 4096;

/**
 * Descriptor limit of this process; null if the system provides none.
 * @param root  "/" except in tests
 */
export async function descriptorLimit(root: string): Promise<number | null> {
  const text = await readFile(join(root, "proc/self/limits"), "utf8").catch(() => "");
  const found = /^Max open files\s+(\d+)/mu.exec(text);
  return found === null ? null : Number(found[1]);
}

/** Number of connections that the descriptors permit: 128 fewer than the descriptors, at least 16 and at most 4,096. */
export function connectionsWithin(descriptors: number): number {
  return Math.min(mostConnections, Math.max(fewestConnections, descriptors - reserved));
}
