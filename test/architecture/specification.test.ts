/** docs/specification.md cannot rot: every row names tests that exist, and every line of the specification has a row. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { docPage } from "../support/doc-page.js";
import { packageRoot } from "../support/package-root.js";
import { shared, testWithShared } from "../support/shared.js";

const test = suite("architecture/specification");

interface NamedTest {
  /** Path below test/, without `.test.ts`. */
  readonly file: string;
  readonly name: string;
}

interface Row {
  readonly line: number;
  readonly statement: string;
  readonly how: string;
  readonly tests: readonly NamedTest[];
}

const rows: readonly Row[] = docPage("specification.md")
  .split("\n")
  .filter((line) => /^\| \d/u.test(line))
  .map((line) => {
    const [, number = "", statement = "", how = "", tests = ""] = line.split(" | ").join("|").split("|");
    const named = [...tests.matchAll(/`(?<file>[\w/-]+)` "(?<name>[^"]+)"/gu)];
    return {
      line: Number(number),
      statement,
      how,
      tests: named.map(({ groups }) => ({ file: groups?.["file"] ?? "", name: groups?.["name"] ?? "" })),
    };
  });

/** A pattern for a text in which "…" stands for anything on the same line. */
const pattern = (text: string): string =>
  text
    .split("…")
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&"))
    .join("[^\\n]*?");

/** Whether a file has a text as a literal of its own. */
function hasLiteral(source: string, text: string): boolean {
  return new RegExp(`(["'\`])${pattern(text)}\\1`, "u").test(source);
}

/**
 * Whether a file has a test of this name: the whole name as a literal, or, where a table makes the names, each part of it
 * between colons as a literal or as a key of the table.
 */
function hasTest(source: string, name: string): boolean {
  if (hasLiteral(source, name)) return true;
  const parts = name.split(": ");
  const isKey = (part: string): boolean => new RegExp(`^\\s*${pattern(part)}:`, "mu").test(source);
  return parts.length > 1 && parts.every((part) => hasLiteral(source, part) || isKey(part));
}

test("a name is found as a literal, with a gap, or by the parts that a table joins", () => {
  const source = 'test("one"\n`two ${n} three`\nconst tables = {\n  Limits: limits,\n  "text length": check,\n};';
  for (const name of ["one", "two … three", "Limits: text length"]) assert.ok(hasTest(source, name), name);
  for (const name of ["on", "two … four", "Limits: text", "Limits", "tables"]) assert.not(hasTest(source, name), name);
});

test("every row says what, how and by which tests", () => {
  assert.ok(rows.length >= 96, `only ${rows.length} rows`);
  for (const { line, statement, how, tests } of rows) {
    assert.ok(line > 0 && statement.trim() !== "" && how.trim() !== "" && tests.length > 0, `${line}: ${statement}`);
  }
});

test("every named test exists", () => {
  const missing = rows.flatMap(({ line, tests }) =>
    tests
      .filter(({ file, name }) => {
        const path = join(packageRoot, "test", `${file}.test.ts`);
        return !existsSync(path) || !hasTest(readFileSync(path, "utf8"), name);
      })
      .map(({ file, name }) => `line ${line}: ${file} has no test "${name}"`),
  );
  assert.equal(missing, []);
});

/** Lines that state nothing by themselves: titles, heads of tables, introductions of lists, and the first paragraph. */
function statesNothing(line: string, next: string, number: number): boolean {
  return line.trim() === "" || /^#|^\|---|:$/u.test(line) || next.startsWith("|---") || number <= 3;
}

testWithShared(
  test,
  "every line of the specification that states something has a row, and no row names another line",
  () => {
    const lines = readFileSync(shared("spec.txt"), "utf8").split("\n");
    const stating = lines.flatMap((line, index) => {
      return statesNothing(line, lines[index + 1] ?? "", index + 1) ? [] : [index + 1];
    });
    const named = new Set(rows.map(({ line }) => line));
    // Line 19 introduces the startup rules and says that all of them must hold.
    assert.equal(
      [...named].sort((a, b) => a - b),
      [...stating, 19].sort((a, b) => a - b),
    );
  },
);

test.run();
