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

/** What a compiled file imports before it runs, as it is written there: no imports of types, nothing lazy. */
function eagerImportsOf(file: string): readonly string[] {
  const path = join("dist", file.replace(/\.ts$/, ".js"));
  const source = ts.createSourceFile(path, readFileSync(join(packageRoot, path), "utf8"), ts.ScriptTarget.ES2023);
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    return moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? [moduleSpecifier.text] : [];
  });
}

/** Every source file and every package that is loaded before a file runs, the file included. */
export function loadedBefore(file: string): ReadonlySet<string> {
  const loaded = new Set<string>([file]);
  for (const at of loaded) {
    if (!at.endsWith(".ts")) continue;
    for (const name of eagerImportsOf(at)) {
      const relativePath = relative(packageRoot, join(packageRoot, dirname(at), name));
      loaded.add(name.startsWith(".") ? relativePath.replace(/\.js$/, ".ts") : name);
    }
  }
  return loaded;
}

/** Files that a file imports, directly or not, also lazily; itself included. */
export function reachedFrom(file: string, compiled = false): ReadonlySet<string> {
  const reached = new Set<string>([file]);
  for (const at of reached) for (const target of importsOf(at, compiled)) reached.add(target);
  return reached;
}
