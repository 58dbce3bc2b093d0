import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Workflow } from "../../../../src/domain/catalog.js";
import type { WordKernelsRetrieverModel } from "../../../../src/domain/model.js";
import { toSnake } from "../../../../src/domain/camel.js";
import { unbounded } from "../../../../src/domain/run-scope.js";
import { onnxModel } from "../../../../src/inference/onnx-graph.js";
import { InferencePool } from "../../../../src/inference/pool.js";
import { WordKernelsRetriever } from "../../../../src/retrieval/kernels/word-kernels-retriever.js";
import { loadRetriever } from "../../../../src/retrieval/load-retriever.js";
import { modelFileName } from "../../../../src/retrieval/model-files.js";
import { vectorsGraph } from "../../../../workbench/fit/words/vectors-graph.js";
import { vocabularyBytes } from "../../../../src/retrieval/words/vocabulary.js";
import type { WordVectors } from "../../../../src/retrieval/words/word-vectors.js";
import { aWorkflow, someWorkflows } from "../../../support/builders.js";
import { rejects } from "../../../support/rejects.js";
import { rankedIds, scoresById } from "../../../support/retrieval.js";
import { deskVectors, wordKernelsModel } from "../../../support/word-vectors.js";

const test = suite("src/retrieval/kernels/word-kernels-retriever");

const pool = new InferencePool({ workers: 1, queueLimit: 256 });
test.after(() => pool.close());

const retrieverOf = (
  workflows: readonly Workflow[] = someWorkflows(),
  vectors: WordVectors | null = deskVectors,
  overrides: Parameters<typeof wordKernelsModel>[0] = {},
): Promise<WordKernelsRetriever> =>
  WordKernelsRetriever.create({ model: wordKernelsModel(overrides), vectors }, workflows, pool);

function withoutCorrection({ kernels, ...model }: WordKernelsRetrieverModel): WordKernelsRetrieverModel {
  const { correctedFrom: _never, ...asWritten } = kernels;
  return { ...model, kernels: asWritten };
}

const texts = ["where is my parcel", "reimburse me", "", "🙂 🙂", "refund ".repeat(1142), "x".repeat(8000)];

test("word vectors find a workflow that shares no word with the text", async () => {
  const text = "please reimburse me";
  const withVectors = await (await retrieverOf()).rank(text, unbounded);
  assert.is(rankedIds(withVectors)[0], "invoices.refund");
  const without = scoresById(await (await retrieverOf(someWorkflows(), null)).rank("reimburse", unbounded));
  assert.ok(Math.abs(without.get("invoices.refund") ?? Number.NaN) < 0.2);
});

test("a misspelt word counts as the word that is one slip away, where the settings say so", async () => {
  const text = "please reimbruse me";
  const scoreOf = async (retriever: WordKernelsRetriever): Promise<number> =>
    scoresById(await retriever.rank(text, unbounded)).get("invoices.refund") ?? Number.NaN;
  const asWritten = await WordKernelsRetriever.create(
    { model: withoutCorrection(wordKernelsModel()), vectors: deskVectors },
    someWorkflows(),
    pool,
  );
  const right = await (await retrieverOf()).rank("please reimburse me", unbounded);
  assert.ok((await scoreOf(asWritten)) < (await scoreOf(await retrieverOf())));
  assert.is(rankedIds(await (await retrieverOf()).rank(text, unbounded))[0], rankedIds(right)[0]);
});

test("without vectors each text of the catalog still finds its workflow", async () => {
  const retriever = await retrieverOf(someWorkflows(), null);
  for (const { workflowId, examples } of someWorkflows()) {
    for (const example of examples) assert.is(rankedIds(await retriever.rank(example, unbounded))[0], workflowId);
  }
});

test("empty, emoji-only and very long texts get finite scores; a text of no known word gets 0 everywhere", async () => {
  const retriever = await retrieverOf();
  for (const text of texts) {
    const { scores, kernels } = await retriever.rank(text, unbounded);
    assert.ok(scores.every(Number.isFinite), text.slice(0, 20));
    assert.ok((kernels?.similarities.mixed ?? []).every((similarity) => similarity < 1.00001));
  }
  for (const text of ["", "🙂 🙂"]) assert.equal([...(await retriever.rank(text, unbounded)).scores], [0, 0, 0]);
});

test("the order of the catalog changes no score and no rank", async () => {
  const workflows = [...someWorkflows(), aWorkflow({ workflowId: "twin.b" }), aWorkflow({ workflowId: "twin.a" })];
  const forwards = await retrieverOf(workflows, deskVectors, { head: { rivals: 4 } });
  const backwards = await retrieverOf([...workflows].reverse(), deskVectors, { head: { rivals: 4 } });
  for (const text of texts) {
    const [one, other] = [await forwards.rank(text, unbounded), await backwards.rank(text, unbounded)];
    const expected = scoresById(one);
    for (const [id, score] of scoresById(other))
      assert.ok(Math.abs(score - (expected.get(id) ?? Number.NaN)) < 1e-5, id);
    assert.is(rankedIds(other)[0]?.split(".")[0], rankedIds(one)[0]?.split(".")[0]);
  }
});

test("a repeated request gives the same bytes although its words were looked up before", async () => {
  const retriever = await retrieverOf();
  const first = await retriever.rank("reimburse the package", unbounded);
  assert.equal((await retriever.rank("reimburse the package", unbounded)).scores, first.scores);
});

test("prefixes are exact texts in front of the query and of every document", async () => {
  const prefixed = await retrieverOf(someWorkflows(), deskVectors, { prefix: { query: "refund ", document: "" } });
  const plain = await retrieverOf();
  assert.equal(
    (await prefixed.rank("invoice", unbounded)).scores,
    (await plain.rank("refund invoice", unbounded)).scores,
  );
  const documents = await retrieverOf(someWorkflows(), deskVectors, { prefix: { query: "", document: "zebra " } });
  assert.ok((await documents.rank("zebra", unbounded)).scores.every((score) => score > 0.01));
});

test("progress ends with every text, and an abort ends the build", async () => {
  const seen: (readonly [number, number])[] = [];
  const options = { onProgress: (done: number, total: number) => void seen.push([done, total]) };
  const source = { model: wordKernelsModel(), vectors: deskVectors };
  await WordKernelsRetriever.create(source, someWorkflows(), pool, options);
  assert.equal(seen[0], [0, 12]);
  assert.equal(seen.at(-1), [12, 12]);
  const signal = AbortSignal.abort();
  await rejects(WordKernelsRetriever.create(source, someWorkflows(), pool, { signal }), "INTERRUPTED");
});

test("a catalog without workflows is refused", async () => {
  await rejects(retrieverOf([]), "CATALOG_INVALID");
});

test("a model directory gives the same scores as its parts, to within the int8 steps", async () => {
  const lemmas = ["order", "parcel", "refund", "money", "reimburse", "account", "lock"];
  const values = Float32Array.from(
    lemmas.flatMap((lemma) => [
      ...deskVectors.rows.subarray(3 * deskVectors.rowOf(lemma), 3 * deskVectors.rowOf(lemma) + 3),
    ]),
  );
  const model = {
    ...wordKernelsModel(),
    vectors: { graph: "vectors.onnx", vocabulary: "vocabulary.txt", dimensions: 3 },
  };
  const files = new Map([
    [modelFileName, Buffer.from(JSON.stringify(toSnake(model)))],
    ["vectors.onnx", onnxModel(vectorsGraph(values, 3))],
    ["vocabulary.txt", vocabularyBytes({ lemmas, counts: lemmas.map(() => 1) })],
  ]);
  const loaded = await loadRetriever(files, someWorkflows(), pool);
  assert.is(rankedIds(await loaded.rank("reimburse me", unbounded))[0], "invoices.refund");
  files.delete("vocabulary.txt");
  await rejects(loadRetriever(files, someWorkflows(), pool), "MODEL_INVALID");
});

test.run();
