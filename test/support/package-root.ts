import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

function findRoot(from: string): string {
  if (existsSync(join(from, "package.json"))) return from;
  return findRoot(dirname(from));
}

/** The folder of package.json; compiled tests run from dist/, their fixtures stay next to the sources. */
export const packageRoot: string = findRoot(import.meta.dirname);
