import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { catalogProblems } from "../../src/router/catalog/rules.js";
import { parseCatalog } from "../../src/router/catalog/load.js";
import { CatalogFileSchema, WorkflowInputSchema, WorkflowSchema } from "../../src/documents/catalog.js";
import { assert, packageRoot, test } from "../support/test.js";
import { codeBlocks, docPage, docSection } from "../support/doc-page.js";
import { schemaRows } from "../support/schema-rows.js";

const page = docPage("reference/catalog.md");
const lists = [
  ["The file", CatalogFileSchema],
  ["A workflow", WorkflowSchema],
  ["An input", WorkflowInputSchema],
] as const;

for (const [heading, schema] of lists) {
  test(`the list of "${heading}" is what the schema says`, () => {
    const rows = schemaRows(schema);
    const found = docSection(page, heading)
      .split("\n")
      .filter((line) => line.startsWith("- `"));
    if (process.env["UPDATE_GOLDEN"] === "1" && found.join("\n") !== rows.join("\n")) {
      writeFileSync(
        join(packageRoot, "docs/reference/catalog.md"),
        docPage("reference/catalog.md").replace(found.join("\n"), () => rows.join("\n")),
      );
    }
    assert.equal(found, rows, "run with UPDATE_GOLDEN=1 and read the difference");
  });
}

test("the catalog on the page is a valid catalog", () => {
  const [yaml = ""] = codeBlocks(page, "yaml");
  const catalog = parseCatalog(Buffer.from(yaml), "the page");
  assert.equal(catalogProblems(catalog), []);
  assert.is(catalog.workflows.length, 2);
});

test("the error of the page is the one that is printed", () => {
  const [yaml = ""] = codeBlocks(page, "yaml");
  const broken = yaml.replace("risk_tier: low", "risk_tier: lwo").replace("examples:", "exmaples:");
  let message = "";
  try {
    parseCatalog(Buffer.from(broken), "catalog.yaml");
  } catch (error) {
    message = (error as Error).message;
  }
  assert.ok(page.includes(`error    DOCUMENT_INVALID: ${message}\n`), message);
});
