import { gzipSync } from "node:zlib";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { importedSource } from "../../workbench/learning/word-models/fit-sources.js";
import { importOwnJsonl } from "../../datasets/importers/own-jsonl.js";
import { loadCatalog } from "../../src/catalog/load.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { sluice } from "./support/sluice.js";
import { succeed, writeSmallDataset } from "./support/small-workspace.js";

const test = suite("cli/model-fit");

interface Fitted {
  readonly retriever: string;
  readonly card: {
    readonly data: readonly { readonly name: string; readonly requests: number; readonly files: readonly object[] }[];
    readonly without?: readonly { readonly file: string; readonly texts: number }[];
    readonly held_out: { readonly folds: readonly { readonly requests: number }[]; readonly tune: object | null };
    readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
  };
}

interface Kept {
  readonly split: string;
  readonly document: {
    readonly folds: { readonly fit: { readonly requests: number; readonly clusters: readonly string[] } };
  };
}

interface Row {
  readonly text: string;
  readonly workflow_id: string | null;
}

const logOfModels = async (cwd: string) => (await sluice(["history", "log", "--kind", "model"], { cwd })).stdout;

test("a fit reads requests, a lexicon and open text, writes two models and a card of their digests, keeps both", () =>
  inTemporaryFolder(async (cwd) => {
    await writeSmallDataset(cwd, { patterns: false });
    await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
    const { split, document } = await succeed<Pick<Kept, "split" | "document">>(cwd, "dataset", "split");
    const { fit } = document.folds;
    const rows = (await readFile(join(cwd, "requests.jsonl"), "utf8")).trim().split("\n");
    const own = rows
      .map((row) => JSON.parse(row) as Row)
      .find(({ workflow_id: id }) => fit.clusters.includes(`workflow:${id}`));
    const synset = {
      id: "1",
      lemmas: ["lock", "latch"],
      definition: "fasten it",
      examples: ["lock it"],
      hypernyms: [],
    };
    const other = { ...synset, id: "2", lemmas: ["unlock"], hypernyms: ["1"] };
    await writeFile(join(cwd, "synsets.jsonl"), `${JSON.stringify(synset)}\n${JSON.stringify(other)}\n`);

    const turns = gzipSync("my bitcoin wallet is empty\nopen the bitcoin wallet\n");
    await writeFile(join(cwd, "turns.txt.gz"), turns);
    await writeFile(join(cwd, "pairs.tsv"), "one\tshow my wallet\none\topen a wallet\nbye\tsee you\nbye\tso long\n");
    await writeFile(join(cwd, "list.tsv"), `file\tlicence\tsha256_of_gz\nturns\tCC0 1.0\t${sha256Hex(turns)}\n`);
    await writeFile(join(cwd, "held.txt"), `my bitcoin wallet is full\n${own?.text}\n`);

    const args = ["model", "fit", "--split", split, "--lexicon", "synsets.jsonl", "--steps", "12"];
    const open = ["--open-text", "dialogue:turns.txt.gz:0.5", "--pairs", "intent:pairs.tsv", "--licences", "list.tsv"];
    const { card, retriever } = await succeed<Fitted>(
      cwd,
      ...args,
      ...open,
      "--without",
      "held.txt",
      "--out",
      "fitted",
    );
    assert.match(await logOfModels(cwd), retriever.slice(0, 12));
    assert.equal(
      card.data.map(({ name }) => name),
      ["service-desk-2026.11", "wordnet", "dialogue, weight 0.5", "pairs, intent"],
    );
    assert.equal(card.data[2]?.files, [{ file: "turns.txt.gz", sha256: sha256Hex(turns), licence: "CC0 1.0" }]);
    assert.equal([card.data[2]?.requests, card.data[3]?.requests], [1, 4]);
    const used = card.data[0]?.requests ?? 0;
    assert.ok(used > 0 && used < fit.requests, `${used} of ${fit.requests} requests of FIT`);
    assert.equal(
      card.without?.map(({ file, texts }) => [file, texts]),
      [["held.txt", 2]],
    );
    assert.match(await readFile(join(cwd, "fitted", "MODEL_CARD.md"), "utf8"), "held.txt");
    assert.match(await readFile(join(cwd, "fitted", "retriever", "vocabulary.txt"), "utf8"), /^wallet /m);
    assert.is(card.held_out.folds.length, 2);
    assert.is.not(card.held_out.tune, null);
    assert.equal(
      (await readdir(cwd)).filter((name) => name.startsWith("fitted")),
      ["fitted"],
    );
    for (const { path, bytes, sha256 } of card.files) {
      const content = await readFile(join(cwd, "fitted", path));
      assert.equal([content.length, sha256Hex(content)], [bytes, sha256], path);
    }
    assert.equal(JSON.parse(await readFile(join(cwd, "fitted", "model_card.json"), "utf8")), card);
    assert.match(await readFile(join(cwd, "fitted", "MODEL_CARD.md"), "utf8"), card.files[0]?.sha256 ?? "no file");
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
    const fit = ["model", "fit", "--data", "jsonl:parts.jsonl", "--steps", "1", "--out", "fitted"];
    const refused = await sluice(fit, { cwd });
    assert.is(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, "--catalog");
    const imported = importOwnJsonl({ file: "parts.jsonl", bytes: await readFile(join(cwd, "parts.jsonl")) });
    const { catalog } = await loadCatalog(join(cwd, "catalog.yaml"));
    const { card } = importedSource("jsonl", imported, [catalog]);
    assert.is(card.requests, lines.length - Math.ceil(lines.length / 4));
    assert.is(card.workflows, catalog.workflows.length);
  }));

test("a fit needs requests, and says so", () =>
  inTemporaryFolder(async (cwd) => {
    const { code, stderr } = await sluice(["model", "fit", "--out", "fitted"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, "--data");
    const odd = await sluice(["model", "fit", "--out", "fitted", "--data", "requests.jsonl"], { cwd });
    assert.match(odd.stderr, "FORMAT:PATH");
    const text = await sluice(["model", "fit", "--out", "fitted", "--open-text", "speech:turns.txt"], { cwd });
    assert.match(text.stderr, "one of dialogue, documents");
    const pairs = await sluice(["model", "fit", "--out", "fitted", "--pairs", "turns.txt"], { cwd });
    assert.match(pairs.stderr, "one of intent, title");
  }));

test.run();
