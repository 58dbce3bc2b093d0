import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nounDescriptions } from "../../cli/nouns.js";
import { reasonText } from "../../reports/reason-text.js";
import { calibratorFamilyNames } from "../../src/domain/choices.js";
import { reasonCodes } from "../../src/domain/decision.js";
import { errorCodes } from "../../src/errors/codes.js";
import { packageRoot } from "../support/package-root.js";
import { projectFiles } from "./files.js";
import { productFolders } from "./layers.js";

/** docs/reference/glossary.md has the words of the code and no other; UPDATE_GOLDEN=1 writes its generated tables. */
const test = suite("architecture/glossary");

const file = "docs/reference/glossary.md";
const page = (): string => readFileSync(join(packageRoot, file), "utf8");

/** Text of each section by its heading. */
const sections = (): ReadonlyMap<string, string> =>
  new Map(
    page()
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.slice(0, section.indexOf("\n")), section.slice(section.indexOf("\n") + 1)]),
  );

/** First cells of the table of a section, without backticks. */
const terms = (section: string): readonly string[] =>
  [...section.matchAll(/^\| (?<term>[^|]+?) \|/gm)]
    .map(({ groups }) => (groups?.["term"] ?? "").replaceAll("`", ""))
    .filter((term) => term !== "Term");

/** A section that the code writes: its words, then a table of these rows. */
function requireTable(name: string, head: string, rows: readonly string[]): void {
  const table = `${head}\n${"|---".repeat(head.split("|").length - 2)}|\n${rows.join("\n")}\n`;
  const generated = page().replace(
    new RegExp(`^(?<words>## ${name}\\n[^|]*)(?:\\|.*\\n)+`, "m"),
    (_, words: string) => `${words}${table}`,
  );
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(packageRoot, file), generated);
  assert.is(page(), generated, "run with UPDATE_GOLDEN=1");
  assert.ok(generated.includes(table), `no table in section "${name}"`);
}

test("the reason codes are those of the code, with their decisions and meanings", () => {
  const rows = Object.entries(reasonCodes).map(
    ([code, decision]) => `| \`${code}\` | \`${decision}\` | ${reasonText(code)} |`,
  );
  requireTable("Reason codes", "| Term | Decision | Meaning |", rows);
});

test("the commands are those of the command line", () => {
  const rows = Object.entries(nounDescriptions).map(([noun, what]) => `| \`${noun}\` | ${what} |`);
  requireTable("Commands", "| Term | Meaning |", rows);
});

test("the calibrators are those that can be fitted", () => {
  assert.equal(terms(sections().get("Calibrators") ?? ""), [...calibratorFamilyNames]);
});

test("the areas of the error codes are named in their order", () => {
  const areas = [...new Set(Object.values(errorCodes).map(({ area }) => area))];
  const named = [...(sections().get("Error codes") ?? "").matchAll(/`(?<area>\w+)`/g)].map(
    ({ groups }) => groups?.["area"] ?? "",
  );
  assert.equal(named.sort(), areas.sort());
});

test("every term is explained once and is used outside of the glossary", () => {
  const all = [...sections().values()].flatMap(terms);
  assert.equal(
    all.filter((term, at) => all.indexOf(term) !== at),
    [],
  );
  const product = new RegExp(`^(?:${productFolders.join("|")})/.*\\.ts$`);
  const elsewhere = projectFiles()
    .filter((path) => product.test(path) || (path.endsWith(".md") && path !== file))
    .map((path) => readFileSync(join(packageRoot, path), "utf8").toLowerCase())
    .join("\n")
    .replaceAll(/\s+(?:\* |\/\/ )?/g, " ");
  const words = all.flatMap((term) => term.split(", ")).map((term) => term.toLowerCase());
  assert.equal(
    words.filter((word) => !elsewhere.includes(word)),
    [],
  );
  for (const wanted of ["kernel", "hard negative", "head", "claim", "population", "cross-fit", "shadow", "drift"])
    assert.ok(words.includes(wanted), wanted);
});

test.run();
