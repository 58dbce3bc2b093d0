// Compiles the tree into an empty dist, and detects whether dist is up to date with the sources.
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { compiledFolders } from "./folders.mjs";
import { run } from "./install.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const stamp = join(dist, ".sluice-build");
const projects = ["base", "core", "numeric", "rest"].map((name) => `tsconfig.${name}.json`);
const settings = ["package.json", "package-lock.json", "tsconfig.json", ...projects];
const programs = ["cli/main.js", "serve/main.js"];

/** SHA-256 over the names and bytes of files, which are given relative to the root. */
export function digestOf(files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  return hash.digest("hex");
}

/** The files that determine the content of dist, in a fixed order. */
export function sourceFiles() {
  const inside = compiledFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
  return [...settings, ...inside].sort((a, b) => (a < b ? -1 : 1));
}

/** Bundles the 537 files of TypeBox, which take longer to load than the rest of a command, into one module. */
function bundleTypeBox() {
  const file = join(dist, "src/base/typebox.js");
  const options = ["--bundle", "--format=esm", "--platform=node", "--target=node20", "--log-level=warning"];
  const licence = "--banner:js=// TypeBox, MIT License, Copyright (c) 2017-2026 Haydn Paterson (see NOTICE)";
  run(process.execPath, [
    join(root, "node_modules/esbuild/bin/esbuild"),
    file,
    `--outfile=${file}`,
    "--allow-overwrite",
    ...options,
    licence,
  ]);
}

/**
 * Compiles into an empty dist, so that no output of a deleted source remains; throws when the compiler finds errors.
 */
export function compile() {
  const built = digestOf(sourceFiles());
  rmSync(dist, { recursive: true, force: true });
  run(process.execPath, [join(root, "node_modules/typescript-native/bin/tsc"), "-b"]);
  bundleTypeBox();
  for (const program of programs) {
    const file = join(dist, program);
    if (existsSync(file)) chmodSync(file, 0o755);
  }
  writeFileSync(stamp, built);
}

/** Compiles if a source changed since dist was written, or if the last compilation failed. */
export function ensureCompiled() {
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digestOf(sourceFiles())) return;
  process.stderr.write("Compiling...\n");
  compile();
}
