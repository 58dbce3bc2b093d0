// Writes dist/types: the declarations of what the package exports, and nothing else. A type that is derived from a
// schema is written out as a plain type, so that an importer does not pay for the schema library.
// Runs before `npm pack`. usage: node scripts/public-types.mjs [FOLDER]   instead of dist/types
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { plainType } from "./plain-type.mjs";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const target = process.argv[2] ?? join(dist, "types");
const { exports } = JSON.parse(readFileSync(fileURLToPath(new URL("../package.json", import.meta.url)), "utf8"));
const entries = Object.values(exports)
  .filter(({ types }) => types !== undefined)
  .map(({ types }) => join(dist, relative("dist/types", types)));
const program = ts.createProgram(entries, {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  strict: true,
  exactOptionalPropertyTypes: true,
  types: ["node"],
});
const checker = program.getTypeChecker();
const isOurs = (file) => file.fileName.startsWith(dist);

/** Declarations of a name, resolved through imports and exports. */
function declarationsOf(node) {
  const found = checker.getSymbolAtLocation(node);
  if (found === undefined) return [];
  const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
  return symbol.declarations ?? [];
}

/** Every identifier in a node, including the node itself. */
function identifiersIn(node, found = []) {
  if (ts.isIdentifier(node)) found.push(node);
  ts.forEachChild(node, (child) => void identifiersIn(child, found));
  return found;
}

/** The top-level statement that contains a declaration. */
function statementOf(declaration) {
  let node = declaration;
  while (node.parent !== undefined && !ts.isSourceFile(node.parent)) node = node.parent;
  return node;
}

/** Whether a statement depends on the schema library, directly or through a schema. */
function needsSchemas(statement, seen = new Set()) {
  if (seen.has(statement)) return false;
  seen.add(statement);
  return identifiersIn(statement).some((name) =>
    declarationsOf(name).some((declaration) => {
      const file = declaration.getSourceFile();
      if (file.fileName.includes("/node_modules/typebox/")) return true;
      if (!isOurs(file)) return false;
      const home = statementOf(declaration);
      return ts.isVariableStatement(home) && needsSchemas(home, seen);
    }),
  );
}

/** Published statements of each file: the text of each, and whether it was written as a plain type. */
const published = new Map();

/** Adds a statement and every statement of this package that it refers to. */
function publish(statement) {
  const file = statement.getSourceFile();
  const kept = published.get(file) ?? new Map();
  published.set(file, kept);
  if (kept.has(statement)) return;
  if (!needsSchemas(statement)) {
    kept.set(statement, { text: statement.getFullText().trim(), isPlain: false });
    file.statements.filter((other) => ts.isModuleDeclaration(other)).forEach(publish);
    namedIn(statement).forEach(publish);
    return;
  }
  if (!ts.isTypeAliasDeclaration(statement)) throw new Error(`${statement.getText()} publishes a schema`);
  const type = plainType(checker, checker.getTypeAtLocation(statement.name));
  const text = `${commentOf(statement)}export type ${statement.name.text} = ${type};`;
  kept.set(statement, { text, isPlain: true });
}

/** The statements of this package that declare the names used in a statement. */
function namedIn(statement) {
  const declarations = identifiersIn(statement).flatMap(declarationsOf);
  return declarations.filter((one) => !ts.isSourceFile(one) && isOurs(one.getSourceFile())).map(statementOf);
}

function commentOf(statement) {
  const text = statement.getFullText();
  return text.slice(0, statement.getStart() - statement.getFullStart()).trimStart();
}

/** The imports of a file, reduced to the names that the statements use. */
function importsOf(file, statements) {
  const used = new Set(statements.flatMap((statement) => identifiersIn(statement)).map((name) => name.text));
  return file.statements.filter(ts.isImportDeclaration).flatMap((statement) => {
    const clause = statement.importClause;
    const named = clause?.namedBindings;
    const names = named !== undefined && ts.isNamedImports(named) ? named.elements : [];
    const kept = names.filter((element) => used.has(element.name.text));
    const whole = clause?.name ?? (named !== undefined && ts.isNamespaceImport(named) ? named.name : undefined);
    if (whole !== undefined && used.has(whole.text)) return [statement.getText()];
    return kept.map((element) => {
      const name = element.getText().replace(/^type /, "");
      return `import type { ${name} } from ${homeOf(element.name) ?? statement.moduleSpecifier.getText()};`;
    });

    /** The file of this package that declares a name, which another may export again; as a module of `file`. */
    function homeOf(name) {
      const home = declarationsOf(name)[0]?.getSourceFile();
      if (home === undefined || !isOurs(home)) return undefined;
      const path = relative(dirname(file.fileName), home.fileName).replace(/\.d\.ts$/, ".js");
      return JSON.stringify(path.startsWith(".") ? path : `./${path}`);
    }
  });
}

for (const entry of entries) {
  const file = program.getSourceFile(entry);
  if (file === undefined) throw new Error(`${entry} is missing: npm run build`);
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement)) publish(statement);
  }
}
rmSync(target, { recursive: true, force: true });
for (const [file, kept] of published) {
  const inOrder = [...kept].sort(([a], [b]) => a.pos - b.pos);
  const verbatim = inOrder.filter(([, { isPlain }]) => !isPlain).map(([statement]) => statement);
  const path = join(target, relative(dist, file.fileName));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${[...importsOf(file, verbatim), ...inOrder.map(([, { text }]) => text)].join("\n")}\n`);
}
process.stderr.write(`${published.size} files of declarations in ${target}\n`);
