import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readDirectory } from "../../src/artifacts/directory-hash.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { sluice } from "./support/sluice.js";
import { succeed, writeSmallDataset } from "./support/small-workspace.js";

const test = suite("cli/model-fit");

interface Fitted {
  readonly retriever: string;
  readonly verifier: string;
  readonly card: {
    readonly data: readonly { readonly name: string; readonly requests: number; readonly files: readonly object[] }[];
    readonly held_out: { readonly folds: readonly { readonly requests: number }[]; readonly tune: object | null };
    readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
  };
}

test("a fit writes two model directories and a card of their digests, keeps both and is repeatable", () =>
  inTemporaryFolder(async (cwd) => {
    await writeSmallDataset(cwd, { patterns: false });
    await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
    const { split } = await succeed<{ readonly split: string }>(cwd, "dataset", "split");
    const synset = {
      id: "1",
      lemmas: ["lock", "latch"],
      definition: "fasten it",
      examples: ["lock it"],
      hypernyms: [],
    };
    const other = { ...synset, id: "2", lemmas: ["unlock"], hypernyms: ["1"] };
    await writeFile(join(cwd, "synsets.jsonl"), `${JSON.stringify(synset)}\n${JSON.stringify(other)}\n`);

    const args = ["model", "fit", "--split", split, "--lexicon", "synsets.jsonl", "--steps", "12"];
    const { card, retriever, verifier } = await succeed<Fitted>(cwd, ...args, "--out", "fitted");
    assert.equal(
      card.data.map(({ name }) => name),
      ["service-desk-2026.11", "wordnet"],
    );
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

    const again = await succeed<Fitted>(cwd, ...args, "--out", "again");
    assert.equal([again.retriever, again.verifier], [retriever, verifier]);
    const [first, second] = await Promise.all(["fitted", "again"].map((name) => readDirectory(join(cwd, name))));
    assert.equal(first?.files, second?.files);
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
    const { card } = await succeed<Fitted>(cwd, ...fit, "--catalog", "catalog.yaml");
    assert.is(card.data[0]?.requests, lines.length - Math.ceil(lines.length / 4));
    assert.is(card.held_out.tune, null);
  }));

test("a fit needs requests, and says so", () =>
  inTemporaryFolder(async (cwd) => {
    const { code, stderr } = await sluice(["model", "fit", "--out", "fitted"], { cwd });
    assert.is(code, 2);
    assert.match(stderr, "--data");
    const odd = await sluice(["model", "fit", "--out", "fitted", "--data", "requests.jsonl"], { cwd });
    assert.match(odd.stderr, "FORMAT:PATH");
  }));

test.run();
