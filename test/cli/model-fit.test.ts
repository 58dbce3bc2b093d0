import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { importOwnJsonl } from "../../datasets/importers/own-jsonl.js";
import { loadCatalog } from "../../src/router/catalog/load.js";
import { importedSource } from "../../stages/models/fit-models.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { encoderExport, writeExport } from "../support/transformer-exports.js";
import { sluice } from "./support/sluice.js";
import { fitLexical, succeed, writeSmallDataset } from "./support/small-workspace.js";

interface Fitted {
  readonly retriever: string;
  readonly verifier: string;
  readonly pairs: number;
}

const logOfModels = async (cwd: string) => (await sluice(["history", "log", "--kind", "model"], { cwd })).stdout;

test("a verifier is fitted for a brought encoder, and both are saved and run together", () =>
  inTemporaryFolder(async (cwd) => {
    await writeSmallDataset(cwd, { patterns: false });
    await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
    const { split } = await succeed<{ readonly split: string }>(cwd, "dataset", "split");
    await writeExport(join(cwd, "encoder"), encoderExport());
    await succeed(cwd, "model", "describe", "encoder", "--write");
    await writeFile(join(cwd, "background.txt"), "the moon is round\na cat sat on the mat\n");
    const fit = ["model", "fit", "--retriever", "encoder", "--split", split, "--catalogs", "3", "--out", "fitted"];
    const fitted = await succeed<Fitted>(cwd, ...fit, "--unrelated", "background.txt");
    assert.ok(fitted.pairs > 0);
    assert.match(await logOfModels(cwd), fitted.verifier.slice(0, 12));
    assert.equal((await readdir(join(cwd, "fitted"))).sort(), ["retriever", "verifier"]);
    const graphs = ["model.onnx", "no-examples.onnx"];
    assert.equal((await readdir(join(cwd, "fitted", "verifier"))).sort(), [...graphs, "router_model.json"]);
    const described = JSON.parse(
      await readFile(join(cwd, "fitted", "verifier", "router_model.json"), "utf8"),
    ) as object;
    assert.is((described as { readonly retriever?: string }).retriever?.startsWith("encoder-"), true);
    const models = ["--retriever", "fitted/retriever", "--verifier", "fitted/verifier"];
    assert.is((await sluice(["eval", "run", ...models], { cwd })).code, 0);
  }));

test("the same data and seed give the same verifier", () =>
  inTemporaryFolder(async (cwd) => {
    await writeSmallDataset(cwd, { patterns: false });
    await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
    await succeed(cwd, "dataset", "split");
    const first = await fitLexical(cwd, { out: "one" });
    const second = await fitLexical(cwd, { out: "two" });
    assert.is(first.verifier, second.verifier);
  }));

test("rows of a published test part are left out, and labels without a catalog are refused", () =>
  inTemporaryFolder(async (cwd) => {
    await writeSmallDataset(cwd, { patterns: false });
    const lines = (await readFile(join(cwd, "requests.jsonl"), "utf8")).trim().split("\n");
    const parts = lines.map((line, index) => {
      const row = JSON.parse(line) as object;
      return JSON.stringify({ ...row, slices: { part: index % 4 === 0 ? "test" : "train" } });
    });
    await writeFile(join(cwd, "parts.jsonl"), parts.join("\n"));
    const refused = await sluice(["model", "fit", "--data", "jsonl:parts.jsonl", "--out", "fitted"], { cwd });
    assert.is(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, "--catalog");
    const imported = importOwnJsonl({ file: "parts.jsonl", bytes: await readFile(join(cwd, "parts.jsonl")) });
    const { catalog } = await loadCatalog(join(cwd, "catalog.yaml"));
    const source = importedSource("jsonl", imported, [catalog]);
    assert.is(source.requests.length, lines.length - Math.ceil(lines.length / 4));
    assert.is(source.workflows.length, catalog.workflows.length);
  }));

test("a fit needs requests, and says so", () =>
  inTemporaryFolder(async (cwd) => {
    const { code, stderr } = await sluice(["model", "fit", "--out", "fitted"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, "--data");
    const odd = await sluice(["model", "fit", "--out", "fitted", "--data", "requests.jsonl"], { cwd });
    assert.match(odd.stderr, "FORMAT:PATH");
  }));
