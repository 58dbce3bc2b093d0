/** test/specification.md is complete: every line of the specification has a row, and every row names files of tests. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, packageRoot, shared, test, testWithShared } from "../support/test.js";

interface Row {
  readonly line: number;
  readonly statement: string;
  readonly how: string;
  /** Paths below test/, without `.test.ts`. */
  readonly files: readonly string[];
}

const rows: readonly Row[] = readFileSync(join(packageRoot, "test/specification.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| \d/u.test(line))
  .map((line) => {
    const [, number = "", statement = "", how = "", tests = ""] = line.split(" | ").join("|").split("|");
    const files = [...tests.matchAll(/`([\w/-]+)`/gu)].map(([, file = ""]) => file);
    return { line: Number(number), statement, how, files };
  });

test("every row says what, how and by which tests", () => {
  assert.ok(rows.length >= 96, `only ${rows.length} rows`);
  for (const { line, statement, how, files } of rows) {
    assert.ok(line > 0 && statement.trim() !== "" && how.trim() !== "" && files.length > 0, `${line}: ${statement}`);
  }
});

test("every file of tests that a row names exists", () => {
  const files = new Set(rows.flatMap(({ files }) => files));
  const missing = [...files].filter((file) => !existsSync(join(packageRoot, "test", `${file}.test.ts`)));
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
