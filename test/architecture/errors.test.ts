import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { errorCodes } from "../../src/base/error-codes.js";
import { packageRoot } from "../support/package-root.js";
import { productFolders } from "./layers.js";

const test = suite("architecture/errors");

const codes = Object.keys(errorCodes).sort();
const page = join(packageRoot, "docs/reference/errors.md");

/** The tables of docs/reference/errors.md are what the code says; UPDATE_GOLDEN=1 writes them again. */
function tableOf(area: string): string {
  const rows = Object.entries(errorCodes)
    .filter(([, entry]) => entry.area === area)
    .map(([code, { exitCode, remedy }]) => `| \`${code}\` | ${exitCode} | ${remedy} |\n`);
  return `| Code | Exit | What to do |\n|---|---|---|\n${rows.join("")}`;
}

function sourceText(): string {
  return productFolders
    .flatMap((folder) => {
      const path = join(packageRoot, folder);
      return readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
    })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("error-codes.ts"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

test("docs/reference/errors.md has the codes of each area, with what to do", () => {
  const text = readFileSync(page, "utf8");
  const areas: string[] = [];
  const generated = text.replace(
    /^## (?<area>\w+)\n(?<words>[^|]*)(?:\|.*\n)+/gm,
    (_, area: string, words: string): string => {
      areas.push(area.toLowerCase());
      return `## ${area}\n${words}${tableOf(area.toLowerCase())}`;
    },
  );
  assert.equal(areas.sort(), [...new Set(Object.values(errorCodes).map(({ area }) => area))].sort());
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(page, generated);
  assert.is(readFileSync(page, "utf8"), generated, "run with UPDATE_GOLDEN=1");
});

test("every code says what happened and what to do, in whole sentences", () => {
  for (const code of codes) {
    const { meaning, remedy } = errorCodes[code as keyof typeof errorCodes];
    for (const text of [meaning, remedy]) assert.match(text, /^[A-Z].{9,}\.$/, code);
  }
});

test("every code is used by a source", () => {
  const text = sourceText();
  const unused = codes.filter((code) => !new RegExp(`["']${code}["']`).test(text));
  assert.equal(unused, []);
});

test.run();
