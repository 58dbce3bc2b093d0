import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { packageRoot } from "./package-root.js";

const known = new Map<string, readonly string[]>();

/**
 * Source files that a source file imports, also lazily, as paths from the root of the package. With `compiled` only those
 * that are loaded at run time: the compiler drops imports of types.
 */
export function importsOf(file: string, compiled = false): readonly string[] {
  const path = compiled ? join("dist", file.replace(/\.ts$/, ".js")) : file;
  const found = known.get(path) ?? importsIn(file, readFileSync(join(packageRoot, path), "utf8"));
  known.set(path, found);
  return found;
}

function importsIn(file: string, text: string): readonly string[] {
  return ts
    .preProcessFile(text)
    .importedFiles.filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => relative(packageRoot, join(packageRoot, dirname(file), fileName)).replace(/\.js$/, ".ts"));
}

/** Files that a file imports, directly or not, also lazily; itself included. */
export function reachedFrom(file: string, compiled = false): ReadonlySet<string> {
  const reached = new Set<string>([file]);
  for (const at of reached) for (const target of importsOf(at, compiled)) reached.add(target);
  return reached;
}
