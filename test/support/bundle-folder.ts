import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { BundleIndex } from "../../src/documents/signed.js";

/** Paths of all files below a folder. */
export const listFiles = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(directory, path)).isFile(),
  );

/** What an attacker does who keeps the unsigned index consistent with the files. */
export function reindex(directory: string, more: BundleIndex["files"] = []): void {
  const path = join(directory, "bundle.json");
  const index = JSON.parse(readFileSync(path, "utf8")) as BundleIndex;
  const files = listFiles(directory)
    .filter((name) => name !== "bundle.json")
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(directory, name));
      return { path: name, size: bytes.length, sha256: sha256Hex(bytes) };
    });
  writeFileSync(path, canonicalBytes({ ...index, files: [...files, ...more] }));
}
