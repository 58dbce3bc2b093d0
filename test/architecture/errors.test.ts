import { lineOf, type Text, textOf } from "../../src/base/invocation.js";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ErrorCode, errorCodes } from "../../src/base/error-codes.js";
import { assert, packageRoot, test } from "../support/test.js";
import { docPage } from "../support/doc-page.js";
import { productFolders } from "./layers.js";

const codes = Object.keys(errorCodes).sort();
const page = join(packageRoot, "docs/reference/errors.md");

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** Values by key, in the order of their first appearance. */
function grouped(pairs: readonly (readonly [key: string, value: string])[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value]);
  return groups;
}

/** `Exit code 4; 2 for A and B.` */
function exitsOf(codes: readonly ErrorCode[]): string {
  const exits = grouped(codes.map((code) => [String(errorCodes[code].exitCode), `\`${code}\``]));
  const [most = "1"] = [...exits].sort(([, a], [, b]) => b.length - a.length).map(([exit]) => exit);
  const others = [...exits].filter(([exit]) => exit !== most).map(([exit, names]) => `${exit} for ${listed(names)}`);
  return `Exit code ${[most, ...others].join("; ")}.`;
}

/** Codes of requests that the service refuses have their own table. */
const httpCodes = new Set(
  [...docPage("reference/http.md").matchAll(/^\| \d{3} \| `(?<code>[A-Z_]+)` \|/gm)].map(
    ({ groups }) => groups?.["code"],
  ),
);

const markdownOf = (remedy: Text): string => textOf(remedy, (command) => `\`${lineOf(command)}\``);

/** The sections of docs/reference/errors.md are what the code says; UPDATE_GOLDEN=1 writes them again. */
function sectionOf(area: string): string {
  const codes = (Object.keys(errorCodes) as ErrorCode[]).filter(
    (code) => errorCodes[code].area === area && !httpCodes.has(code),
  );
  const rows = [...grouped(codes.map((code) => [markdownOf(errorCodes[code].remedy), `\`${code}\``]))].map(
    ([remedy, names]) => `- ${names.join(", ")}: ${remedy}\n`,
  );
  return `${exitsOf(codes)}\n\n${rows.join("")}`;
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
    /^## (?<area>\w+)\n\n(?:Exit code .*\n\n)?(?:- .*\n)+/gm,
    (_, area: string): string => {
      areas.push(area.toLowerCase());
      return `## ${area}\n\n${sectionOf(area.toLowerCase())}`;
    },
  );
  assert.equal(areas.sort(), [...new Set(Object.values(errorCodes).map(({ area }) => area))].sort());
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(page, generated);
  assert.is(readFileSync(page, "utf8"), generated, "run with UPDATE_GOLDEN=1");
});

test("every code says what happened and what to do, in whole sentences", () => {
  for (const code of codes) {
    const { meaning, remedy } = errorCodes[code as ErrorCode];
    for (const text of [meaning, textOf(remedy)]) assert.match(text, /^[A-Z].{9,}\.$/, code);
  }
});

test("every code is used by a source", () => {
  const text = sourceText();
  const unused = codes.filter((code) => !new RegExp(`["']${code}["']`).test(text));
  assert.equal(unused, []);
});
