import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { quickstartSettings } from "../../workbench/demonstration/settings.js";
import { foldRecall } from "../../workbench/learning/word-models/fold-recall.js";
import type { ModelCard } from "../../workbench/learning/word-models/model-card.js";
import { datasetBytes } from "../../datasets/dataset-bytes.js";
import type { FoldFractions } from "../../datasets/assign-folds.js";
import { splitByWorkflow } from "../../datasets/split-by-workflow.js";
import { readDirectory } from "../../src/artifacts/directory-hash.js";
import { canonicalBytes } from "../../src/digest/canonical-json.js";
import { sha256Hex } from "../../src/digest/sha256.js";
import { parseModel } from "../../workbench/models/parse-model.js";
import { packageRoot } from "../support/package-root.js";
import { withPool } from "../support/pools.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../support/service-desk.js";
import { shared, testWithShared } from "../support/shared.js";

const test = suite("models/default");

const folder = join(packageRoot, "models", "default");
const card = JSON.parse(readFileSync(join(folder, "model_card.json"), "utf8")) as ModelCard;
const mebibyte = 2 ** 20;

/** The split that the models were fitted with. */
const fittedFolds = { seed: 1, fractions: { fit: 0.25, tune: 0.15, certify: 0.45, eval: 0.15 } } as const;

const deskSplit = async () => {
  const catalog = await serviceDeskCatalog();
  const rows = serviceDeskRequests();
  const dataset = { sha256: sha256Hex(datasetBytes(rows)), rows };
  const splitOf = (options: { readonly seed: number; readonly fractions: FoldFractions }) =>
    splitByWorkflow({ dataset, catalog, ...options });
  const { seed, fractions } = quickstartSettings;
  return { catalog, dataset, split: splitOf(fittedFolds), demonstration: splitOf({ seed, fractions }) };
};

test("the card names every file of both models with its digest, and neither is larger than 8 MiB", async () => {
  for (const role of ["retriever", "verifier"] as const) {
    const { files } = await readDirectory(join(folder, role));
    const found = [...files].map(([path, bytes]) => {
      return { path: `${role}/${path}`, bytes: bytes.length, sha256: sha256Hex(bytes) };
    });
    const named = card.files.filter(({ path }) => path.startsWith(role));
    const byPath = (a: { readonly path: string }, b: { readonly path: string }) => (a.path < b.path ? -1 : 1);
    assert.equal(found.sort(byPath), [...named].sort(byPath));
    assert.ok(found.reduce((sum, { bytes }) => sum + bytes, 0) <= 8 * mebibyte, role);
    assert.is(parseModel(files).role, role);
  }
});

test("the card's service desk is the shipped one", async () => {
  const { catalog, dataset, split } = await deskSplit();
  const named = card.data.find(({ files }) => files.some(({ file }) => file === "split"));
  const digestOf = (file: string) => named?.files.find((one) => one.file === file)?.sha256;
  assert.is(digestOf("catalog"), catalog.sha256);
  assert.is(digestOf("dataset"), dataset.sha256);
  assert.is(digestOf("split"), sha256Hex(canonicalBytes(split)));
});

test("the demonstration certifies and tests on no workflow that the models were fitted on", async () => {
  const { split, demonstration } = await deskSplit();
  assert.equal(demonstration.folds.fit.clusters, split.folds.fit.clusters);
  assert.equal(demonstration.folds.eval.clusters, split.folds.eval.clusters);
});

test("the card's figures on workflows of TUNE come from the shipped weights and data", async () => {
  const { catalog, dataset, split } = await deskSplit();
  const { files } = await readDirectory(join(folder, "retriever"));
  const data = { split, workflows: catalog.workflows, rows: dataset.rows };
  const { at1, at5, at10, ...counted } = await withPool({}, (pool) => foldRecall(files, data, pool));
  assert.equal({ ...counted, recall_at_1: at1, recall_at_5: at5, recall_at_10: at10 }, card.held_out.tune);
});

test("no source of the card is CLINC150", () => {
  assert.not.match(JSON.stringify(card.data), /clinc/i);
});

const sharedFiles: Readonly<Record<string, readonly string[]>> = {
  "data.jsonl": ["sgd", "data.jsonl"],
  "catalog.jsonl": ["sgd", "catalog.jsonl"],
  "train.csv": ["banking77", "raw", "train.csv"],
  "test.csv": ["banking77", "raw", "test.csv"],
  "synsets.jsonl.gz": ["wordnet", "synsets.jsonl.gz"],
};

testWithShared(test, "the digests of the card are those of the data it names", () => {
  const named = card.data.flatMap(({ files }) => files).filter(({ file }) => file in sharedFiles);
  assert.is(named.length, Object.keys(sharedFiles).length);
  for (const { file, sha256, licence } of named) {
    assert.is(sha256Hex(readFileSync(shared("data", ...(sharedFiles[file] ?? [])))), sha256, file);
    assert.match(licence ?? "", "CC BY");
  }
});

test.run();
