import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { loadCatalog } from "../../src/router/catalog/load.js";
import { assert, inTemporaryFolder, pluck, test } from "../support/test.js";
import { smallCatalog } from "./support/small-catalog.js";
import { succeed } from "./support/small-workspace.js";
import { sluice } from "./support/sluice.js";

interface Finding {
  readonly rule: string;
  readonly severity: string;
  readonly workflow_ids: readonly string[];
  readonly message: string;
}
interface Lint {
  readonly result: {
    readonly findings: readonly Finding[];
    readonly measured: { readonly examples: number; readonly first: number } | null;
  };
  readonly gates: readonly { readonly name: string; readonly verdict: string }[];
}

interface DraftedFile {
  readonly workflows: { examples: string[]; description: string; workflow_id: string }[];
}

async function lint(
  cwd: string,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly value: Lint }> {
  const { code, stdout } = await sluice(["catalog", "lint", ...args, "--json"], { cwd });
  return { code, value: JSON.parse(stdout) as Lint };
}

test("a catalog that an import made is written out, edited and used: every form, from the history and from a file", () =>
  inTemporaryFolder(async (cwd) => {
    const texts = ["cancel it", "stop my order", "no order please", "i do not want it", "undo the order"];
    const rows = texts.map((text) => `${text},"Cancel, order"`).join("\n");
    await writeFile(join(cwd, "t.csv"), `text,intent\n${rows}\nhello there,none\n`);
    const { catalog } = await succeed<{ catalog: string }>(cwd, "dataset", "import", "t.csv");
    const exported = await sluice(["catalog", "export"], { cwd });
    assert.is(exported.code, 0);
    assert.match(exported.stdout, /^# The workflows that Sluice may choose/);
    await writeFile(join(cwd, "catalog.yaml"), exported.stdout.replace("risk_tier: medium", "risk_tier: low"));
    assert.is((await loadCatalog(join(cwd, "catalog.yaml"))).catalog.workflows[0]?.risk_tier, "low");
    const changed = await succeed<{ changed: { workflow_id: string }[] }>(
      cwd,
      "catalog",
      "diff",
      catalog,
      "catalog.yaml",
    );
    assert.equal(
      changed.changed.map(({ workflow_id: id }) => id),
      ["cancel_order"],
    );
    await succeed(cwd, "catalog", "export", catalog.slice(0, 12), "--as", "json", "--out", "c.json");
    const twin = await succeed<{ unchanged: number }>(cwd, "catalog", "diff", catalog, "c.json");
    assert.is(twin.unchanged, 1);
    const examples = await sluice(["catalog", "export", "catalog.yaml", "--as", "csv"], { cwd });
    assert.match(examples.stdout, /^text,workflow_id\n[^\n]+,cancel_order\n/);
    assert.is((await sluice(["catalog", "export", "--out", "c.json"], { cwd })).code, 2);
  }));

test("lint names the same example in two workflows as an error, ends with 3, and --fail-on changes that", () =>
  inTemporaryFolder(async (cwd) => {
    const twice = smallCatalog
      .replace("    owner: orders\n", '    owner: orders\n    examples: ["where is it"]\n')
      .concat('    examples: ["Where is it?"]\n');
    await writeFile(join(cwd, "c.yaml"), twice);
    const { code, value } = await lint(cwd, "c.yaml", "--rules-only");
    assert.is(code, 3);
    assert.is(value.result.measured, null);
    assert.equal(value.gates, [
      { name: "catalog_lint.error", verdict: "fail", message: "1 finding of severity error, expected 0" },
    ]);
    const [worst] = value.result.findings;
    assert.equal(
      [worst?.rule, worst?.severity, worst?.workflow_ids],
      ["repeated_example", "error", ["orders.track", "orders.cancel"]],
    );
    assert.is((await lint(cwd, "c.yaml", "--rules-only", "--fail-on", "never")).code, 0);
    await writeFile(join(cwd, "d.yaml"), smallCatalog);
    assert.is((await lint(cwd, "d.yaml", "--rules-only")).code, 0);
    const strict = await lint(cwd, "d.yaml", "--rules-only", "--fail-on", "warning");
    assert.is(strict.code, 3);
    assert.equal(pluck(strict.value.result.findings, "rule"), ["no_example", "no_example"]);
  }));

test("lint ranks hidden examples with the shipped retriever: twins and an example in the wrong place are found", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "p", "--yes");
    const path = join(cwd, "p", "catalog.yaml");
    const file = parse(await readFile(path, "utf8")) as DraftedFile;
    const of = (id: string) => file.workflows.find(({ workflow_id: found }) => found === id);
    const [refund, track] = [of("refund_status"), of("track_order")];
    assert.ok(refund !== undefined && track !== undefined);
    refund.examples.push("please track where my parcel is right now", "track my order number 88");
    await writeFile(path, stringify(file));
    const { value } = await lint(cwd, path);
    assert.ok((value.result.measured?.examples ?? 0) >= 48);
    const about = value.result.findings.filter(
      ({ workflow_ids: ids }) => ids.includes("refund_status") && ids.includes("track_order"),
    );
    assert.ok(
      about.some(({ rule }) => rule === "near_twins" || rule === "example_elsewhere"),
      JSON.stringify(value.result.findings),
    );
    const drafted = value.result.findings.filter(({ rule }) => rule === "drafted_description");
    assert.ok(drafted.length > 0);
  }));

test("lint reports what one example would gain where a catalog has none", () =>
  inTemporaryFolder(async (cwd) => {
    await writeFile(join(cwd, "c.yaml"), smallCatalog);
    const { stdout } = await sluice(["catalog", "lint", "c.yaml"], { cwd });
    assert.match(stdout, "no example");
    assert.match(stdout, /\d+% with one/);
  }));

test("schema lists the files that people write, and prints what checks them", () =>
  inTemporaryFolder(async (cwd) => {
    const { schemas } = await succeed<{ schemas: { name: string }[] }>(cwd, "schema");
    for (const { name } of schemas) {
      const schema = await succeed<{ $schema: string; title: string }>(cwd, "schema", name);
      assert.match(schema.$schema, "json-schema.org/draft/2020-12");
      const { stdout } = await sluice(["schema", name], { cwd });
      assert.equal(JSON.parse(stdout), schema);
    }
    assert.is((await sluice(["schema", "catalogue"], { cwd })).code, 2);
  }));
