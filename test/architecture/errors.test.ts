import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { errorCodes } from "../../src/errors/codes.js";
import { packageRoot } from "../support/package-root.js";
import { productFolders } from "./layers.js";

const test = suite("architecture/errors");

const codes = Object.keys(errorCodes).sort();
const page = readFileSync(join(packageRoot, "docs/reference/errors.md"), "utf8");

interface Row {
  readonly area: string;
  readonly code: string;
  readonly exitCode: string;
  readonly httpStatus: string;
  readonly meaning: string;
  readonly remedy: string;
}

/** Rows of the tables: `| CODE | exit | status | meaning | what to do |`, below the heading of their area. */
function documentedRows(): Row[] {
  let area = "";
  return page.split("\n").flatMap((line) => {
    const heading = /^## (?<area>.+)$/.exec(line)?.groups?.["area"];
    if (heading !== undefined) area = heading.toLowerCase();
    const cells = line.split("|").map((cell) => cell.trim());
    const code = /^`(?<code>[A-Z0-9_]+)`$/.exec(cells[1] ?? "")?.groups?.["code"];
    if (code === undefined) return [];
    const [, , exitCode = "", httpStatus = "", meaning = "", remedy = ""] = cells;
    return [{ area, code, exitCode, httpStatus, meaning, remedy }];
  });
}

function sourceText(): string {
  return productFolders
    .flatMap((folder) => {
      const path = join(packageRoot, folder);
      return readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
    })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(join("errors", "codes.ts")))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

test("docs/reference/errors.md has one row for each code, and no other", () => {
  const documented = documentedRows().map((row) => row.code);
  assert.equal(documented.sort(), codes);
});

test("the rows say what the table of codes says, and what to do", () => {
  for (const { area, code, exitCode, httpStatus, meaning, remedy } of documentedRows()) {
    const entry = errorCodes[code as keyof typeof errorCodes];
    assert.equal(
      { area, exitCode, httpStatus, meaning },
      {
        area: entry.area,
        exitCode: String(entry.exitCode),
        httpStatus: String(entry.httpStatus),
        meaning: entry.meaning,
      },
      code,
    );
    assert.ok(remedy.length > 10, `${code}: the last column must say what to do`);
  }
});

test("every code is used by a source", () => {
  const text = sourceText();
  const unused = codes.filter((code) => !new RegExp(`["']${code}["']`).test(text));
  assert.equal(unused, []);
});

test.run();
