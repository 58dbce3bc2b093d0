import { readFileSync } from "node:fs";
import { join } from "node:path";
import { calibratorFamilyNames } from "../../src/documents/choices.js";
import { assert, packageRoot, test } from "../support/test.js";
import { docPage, docSection } from "../support/doc-page.js";
import { projectFiles } from "./files.js";
import { productFolders } from "./layers.js";

/** docs/reference/glossary.md explains words that are used, each once. */

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

/** Terms of the list of a section. */
const terms = (section: string): readonly string[] =>
  [...section.matchAll(/^- \*\*(?<term>[^*]+)\*\*:/gm)].map(({ groups }) => groups?.["term"] ?? "");

test("every calibrator that can be fitted has a row on the page about claims", () => {
  const section = docSection(docPage("concepts/calibration.md"), "Calibrators");
  const named = [...section.matchAll(/^\| `(?<family>[a-z-]+)` \|/gm)].map(({ groups }) => groups?.["family"]);
  assert.equal(named, [...calibratorFamilyNames]);
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
  for (const wanted of ["kernel", "hard negative", "head", "claim", "population", "cross-fit"])
    assert.ok(words.includes(wanted), wanted);
});
