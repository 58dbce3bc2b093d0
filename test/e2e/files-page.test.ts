/** docs/reference/files.md: its lists are what the schemas say; UPDATE_GOLDEN=1 writes them again. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { handWrittenFiles } from "../../stages/schemas.js";
import { assert, packageRoot, test } from "../support/test.js";

interface SchemaPart {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly required?: readonly string[];
}

/** A line for each described field, with its path; a star marks a required one. */
function rowsOf({ properties = {}, required = [] }: SchemaPart, within = ""): readonly string[] {
  return Object.entries(properties).flatMap(([name, part]) => {
    const path = `${within}${name}`;
    const star = required.includes(name) ? "\\*" : "";
    const own = part.description === undefined ? [] : [`- \`${path}\`${star}: ${part.description}\n`];
    return [...own, ...rowsOf(part, `${path}.`)];
  });
}

for (const { file, schema } of [handWrittenFiles.project, handWrittenFiles.policy]) {
  test(`the list of fields of ${file} is what the schema says`, () => {
    const path = join(packageRoot, "docs/reference/files.md");
    const list = new RegExp(`^(?<words>## ${file}\\n(?:(?!- \`).*\\n)*)(?:- \`.*\\n)+`, "m");
    const rows = rowsOf(schema as SchemaPart).join("");
    assert.ok(rows.length > 0);
    const generated = readFileSync(path, "utf8").replace(list, (_, words: string) => `${words}${rows}`);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, generated);
    assert.is(readFileSync(path, "utf8"), generated, "run with UPDATE_GOLDEN=1");
    assert.ok(generated.includes(rows));
  });
}
