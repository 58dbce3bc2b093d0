import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { packageRoot } from "./package-root.js";

/** Stands where a template inserts a value. */
const inserted = "VALUE";

/** A text of the code, with its file. */
export interface CodeText {
  readonly file: string;
  readonly text: string;
  /** Whether it is a hint or a warning, or a part of one. */
  readonly isHint: boolean;
  /** Whether it is the template of a command. */
  readonly isCommand: boolean;
}

/** Every TypeScript file of these folders, relative to the package. */
export function sourceFiles(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join(folder, file)),
  );
}

const read = (file: string): string => readFileSync(join(packageRoot, file), "utf8");

/** The string literals and templates of a file; those that are added up are one text. */
export function codeTexts(file: string): readonly CodeText[] {
  const found: CodeText[] = [];
  const visit = (node: ts.Node, isHint: boolean): void => {
    const text = textOf(node);
    if (text !== null) found.push({ file, text, isHint, isCommand: isTagged(node, "command") });
    else ts.forEachChild(node, (child) => visit(child, isHint || startsHint(node) || isTagged(child, "say")));
    if (ts.isTemplateExpression(node)) {
      for (const { expression } of node.templateSpans) visit(expression, isHint);
    }
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022, true), false);
  return found;
}

const isTagged = ({ parent }: ts.Node, tag: string): boolean =>
  ts.isTaggedTemplateExpression(parent) && parent.tag.getText() === tag;

/** A property, variable, parameter or function whose name says hint or warning. */
function startsHint(node: ts.Node): boolean {
  const named = ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node) || ts.isParameter(node);
  if (!named && !ts.isFunctionDeclaration(node)) return false;
  return node.name !== undefined && ts.isIdentifier(node.name) && /hint|warning/i.test(node.name.text);
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce((text, span) => `${text}${inserted}${span.literal.text}`, node.head.text);
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === null || right === null ? null : left + right;
}

/** Command lines of `sluice` in a text, as words after the program; a sentence that goes on ends one. */
export function commandLinesIn(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/(?<![\w/.-])sluice (?=\S)/g)].map((match) => wordsOf(text.slice(match.index + 7)));
}

function wordsOf(rest: string): readonly string[] {
  const words: string[] = [];
  for (const raw of rest.trim().split(/\s+/)) {
    const word = raw.replace(/[`'")\]]*[;,.:)`'"]+$/, "");
    const afterFlag = words.at(-1)?.startsWith("--") === true && !words.at(-1)?.includes("=");
    const isArgument = afterFlag || /^--?[a-z]|^[A-Z<]|[./=\d]/.test(word) || words.length < 2;
    if (!isArgument || word === "") break;
    words.push(word);
    if (word !== raw) break;
  }
  return words;
}

/** Flags in a text that belong to no command line of `sluice` and to no other program. */
export function bareFlagsIn(text: string): readonly string[] {
  const own = text.replace(/(?<![\w-])(?:sluice|sluice-serve|cp|optimum-cli) [^;]*/g, "");
  return [...own.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, flag = ""]) => flag);
}
