import { describedRetriever } from "../../../../src/router/retrieval/parse-retriever.js";
import type { Workflow } from "../../../../src/documents/catalog.js";
import { unbounded } from "../../../../src/documents/run-scope.js";
import { InferencePool } from "../../../../src/inference/pool.js";
import { embeddingCacheFolder } from "../../../../store/embedding-cache-file.js";
import {
  type EmbeddingCache,
  type EncoderIdentity,
  MemoryEmbeddingCache,
  type OpenEmbeddingCache,
} from "../../../../src/router/retrieval/embedding-cache.js";
import { defaultSimilarity, loadRetriever } from "../../../../src/router/retrieval/load-retriever.js";
import { parseRetrieverModel } from "../../../../src/router/retrieval/parse-retriever.js";
import type { ModelFiles } from "../../../../src/router/retrieval/model-files.js";
import { encodeCatalog, openTransformer } from "../../../../src/router/retrieval/text-encoder.js";
import type { WarmUpOptions } from "../../../../src/router/retrieval/warm-up-options.js";
import { lexicalShare } from "../../../../src/router/retrieval/similarity-index.js";
import { assert, inTemporaryFolder, rejects, test, testWithShared } from "../../../support/test.js";
import { aWorkflow, someWorkflows } from "../../../support/builders.js";
import { tinyBertEncoder, wordCountEncoder } from "../../../support/encoder-files.js";
import { rankedIds, scoresById } from "../../../support/retrieval.js";

const pool = new InferencePool({ workers: 2, queueLimit: 4 });
test.after(() => pool.close());

const words = ["card", "block", "order", "lost", "refund", "new"];
const blank = { description: "", capabilities: [], examples: [] };
const cardBlock = aWorkflow({
  ...blank,
  workflow_id: "card.block",
  name: "block card",
  examples: ["lost card", "block"],
});
const cardOrder = aWorkflow({ ...blank, workflow_id: "card.order", name: "order", capabilities: ["new card"] });
const refund = aWorkflow({ ...blank, workflow_id: "refund", name: "refund", examples: ["refund order"] });
const workflows: readonly Workflow[] = [cardBlock, cardOrder, refund];

async function cosines(text: string, files: ModelFiles, options: WarmUpOptions = {}) {
  const retriever = await loadRetriever(describedRetriever(files), workflows, pool, options);
  return (await retriever.rank(text, unbounded)).similarities.encoder;
}

function closeTo(found: number | undefined, expected: number): void {
  assert.ok(Math.abs((found ?? Number.NaN) - expected) < 1e-6, `${found}, not ${expected}`);
}

test("every name, capability and example is a text of its own, compared by the cosine of its vector", async () => {
  const found = await cosines("Lost card?", wordCountEncoder(words));
  const expected = [0.5, 1, 0, 0, 0.5, 0, 0];
  assert.is(found.length, expected.length);
  for (const [text, cosine] of expected.entries()) closeTo(found[text], cosine);
});

test("a name and a description are joined into a third text", async () => {
  const described = aWorkflow({ ...blank, workflow_id: "card.new", name: "new card", description: "order" });
  const retriever = await loadRetriever(describedRetriever(wordCountEncoder(words)), [described], pool);
  const { encoder } = (await retriever.rank("new card order", unbounded)).similarities;
  closeTo(encoder[0], 2 / Math.sqrt(6));
  closeTo(encoder[1], 1 / Math.sqrt(3));
  closeTo(encoder[2], 1);
});

test("prefixes are exact texts in front of the query and of every text of the catalog", async () => {
  const plain = await cosines("refund card", wordCountEncoder(words));
  const query = await cosines("card", wordCountEncoder(words, { prefix: { query: "refund ", document: "" } }));
  assert.equal(query, plain);
  const document = await cosines("new", wordCountEncoder(words, { prefix: { query: "", document: "new " } }));
  closeTo(document[5], 1 / Math.sqrt(2));
});

test("without examples tf-idf has no share, and with three a workflow its whole share", () => {
  const settings = { ...defaultSimilarity, lexical: 0.3, examples: 3 };
  assert.equal(
    [0, 1.5, 3, 40].map((examples) => lexicalShare(settings, examples)),
    [0, 0.15, 0.3, 0.3],
  );
});

test("a misspelt word is read as the catalog's word before it is encoded", async () => {
  const exact = await cosines("refund order", wordCountEncoder(words));
  const corrected_from = 5;
  const similarity = { ...defaultSimilarity, corrected_from };
  assert.equal(await cosines("refnd order", wordCountEncoder(words, { similarity })), exact);
  assert.not.equal(await cosines("refnd order", wordCountEncoder(words)), exact);
});

test("a text longer than the model reads is reported", async () => {
  const retriever = await loadRetriever(describedRetriever(wordCountEncoder(words)), workflows, pool);
  assert.is((await retriever.rank("card ".repeat(14), unbounded)).truncated, false);
  assert.is((await retriever.rank("card ".repeat(15), unbounded)).truncated, true);
});

const missing: readonly (readonly [name: string, files: ModelFiles, file: string])[] = [
  ["graph", wordCountEncoder(words, { graph: "onnx/other.onnx" }), "onnx/other.onnx"],
  ["file of weights", wordCountEncoder(words, { external_data: ["onnx/model.onnx_data"] }), "onnx/model.onnx_data"],
  ["tokenizer", wordCountEncoder(words, { tokenizer: "other.json" }), "other.json"],
];

for (const [name, files, file] of missing) {
  test(`a ${name} that is not in the directory is named`, async () => {
    const error = await rejects(loadRetriever(describedRetriever(files), workflows, pool), "MODEL_INVALID");
    assert.ok(error.message.includes(`no ${file},`), error.message);
  });
}

test("vectors whose length differs from the description are refused with both lengths", async () => {
  const files = wordCountEncoder(words, { dimensions: 384 });
  const error = await rejects(loadRetriever(describedRetriever(files), workflows, pool), "MODEL_INVALID");
  assert.match(error.message, /vectors of 6 numbers, expected 384 of its description/);
});

test("a catalog without workflows cannot be indexed", async () => {
  await rejects(loadRetriever(describedRetriever(wordCountEncoder(words)), [], pool), "CATALOG_INVALID");
});

/** Counts the vectors that are put into it. */
class CountingCache extends MemoryEmbeddingCache {
  encoded = 0;

  override put(key: string, vector: Float32Array): void {
    this.encoded += 1;
    super.put(key, vector);
  }
}

/** Loads and says how many texts were encoded. */
async function encodedBy(cache: CountingCache, files: ModelFiles, catalog: readonly Workflow[]): Promise<number> {
  const before = cache.encoded;
  const open = async (): Promise<EmbeddingCache> => cache;
  await loadRetriever(describedRetriever(files), catalog, pool, { cache: open });
  return cache.encoded - before;
}

test("vectors that somebody exchanged in the file of a cache are refused, and the file is named", () =>
  inTemporaryFolder(async (folder) => {
    const files = wordCountEncoder(words);
    const put = new Map<string, Float32Array>();
    let encoder: EncoderIdentity | undefined;
    const load = (open: OpenEmbeddingCache) =>
      loadRetriever(describedRetriever(files), workflows, pool, { cache: open });
    await load(async (identity) => {
      encoder = identity;
      const cache = await embeddingCacheFolder(folder)(identity);
      return {
        name: cache.name,
        get: (key) => cache.get(key),
        toCheck: () => [],
        draws: () => false,
        put: (key, vector) => {
          put.set(key, vector);
          cache.put(key, vector);
        },
        save: () => cache.save(),
      };
    });
    await load(embeddingCacheFolder(folder));
    assert.ok(encoder !== undefined && put.size > 2);
    const forged = await embeddingCacheFolder(folder)(encoder);
    const vectors = [...put.values()];
    for (const [i, key] of [...put.keys()].entries())
      forged.put(key, vectors[(i + 1) % vectors.length] ?? new Float32Array());
    await forged.save();
    assert.match(
      (await rejects(load(embeddingCacheFolder(folder)), "HASH_MISMATCH")).message,
      ".vectors: a vector is not",
    );
  }));

test("with a cache only texts without a vector are encoded", async () => {
  const cache = new CountingCache();
  const files = wordCountEncoder(words);
  const open = async (): Promise<EmbeddingCache> => cache;
  assert.is(await encodedBy(cache, files, workflows), 7);
  assert.is(await encodedBy(cache, files, [...workflows].reverse()), 0);
  const edited = { ...cardBlock, examples: ["lost card", "block my card", "refund order"] };
  assert.is(await encodedBy(cache, files, [edited, cardOrder, refund]), 1);
  assert.equal(await cosines("lost card", files, { cache: open }), await cosines("lost card", files));
});

const otherVectors: readonly (readonly [name: string, files: ModelFiles])[] = [
  ["another prefix of documents", wordCountEncoder(words, { prefix: { query: "", document: "new " } })],
  ["another pooling", wordCountEncoder(words, { pooling: "max" })],
  ["another token limit", wordCountEncoder(words, { max_tokens: 12 })],
  ["another scale", wordCountEncoder(words, { normalise: false })],
  ["another graph", wordCountEncoder([...words].reverse())],
];

for (const [name, files] of otherVectors) {
  test(`${name} has its test vectors`, async () => {
    const cache = new CountingCache();
    await encodedBy(cache, wordCountEncoder(words), workflows);
    assert.is(await encodedBy(cache, files, workflows), 7);
  });
}

test("what comes after the vectors needs no new ones", async () => {
  const cache = new CountingCache();
  await encodedBy(cache, wordCountEncoder(words), workflows);
  const files = wordCountEncoder(words, { prefix: { query: "card ", document: "" } });
  assert.is(await encodedBy(cache, files, workflows), 0);
});

/** More texts than the pool's queue takes jobs. */
const many = Array.from({ length: 60 }, (_, i) =>
  aWorkflow({ ...blank, workflow_id: `many.${i}`, name: `card ${i}`, examples: [`order ${i}`, `refund ${i}`] }),
);

test("progress counts texts up to all of them, in jobs that the queue accepts", async () => {
  const files = wordCountEncoder(words);
  const seen: (readonly [number, number])[] = [];
  const onProgress = (done: number, total: number): unknown => seen.push([done, total]);
  const model = parseRetrieverModel(files);
  assert.ok(model.kind === "encoder");
  await encodeCatalog(await openTransformer(files, model, pool), many, { onProgress, jobsInFlight: 4 });
  assert.equal(
    seen,
    [...Array(181).keys()].map((done) => [done, 180]),
  );
});

test("more jobs than the queue accepts are an error, not a wait without end", async () => {
  const files = wordCountEncoder(words);
  await rejects(loadRetriever(describedRetriever(files), many, pool, { jobsInFlight: 5 }), "SERVER_OVERLOADED");
});

test("an interrupted warm-up stores its vectors, and the next one resumes from them", async () => {
  const cache = new CountingCache();
  const files = wordCountEncoder(words);
  const controller = new AbortController();
  const interrupted = loadRetriever(describedRetriever(files), many, pool, {
    cache: async () => cache,
    signal: controller.signal,
    onProgress: (done) => {
      if (done === 50) controller.abort();
    },
  });
  const error = await rejects(interrupted, "INTERRUPTED");
  assert.match(error.message, /after 5[01] of 180 texts/);
  const kept = cache.encoded;
  assert.ok(kept >= 50 && kept < 60, `${kept} texts`);
  assert.is(await encodedBy(cache, files, many), 180 - kept);
});

for (const graph of ["model.onnx", "model_quantized.onnx"] as const) {
  testWithShared(
    test,
    `a trained checkpoint, ${graph}: each text finds its workflow, in any catalog order`,
    async () => {
      const files = tinyBertEncoder(graph);
      const forwards = await loadRetriever(describedRetriever(files), someWorkflows(), pool);
      const backwards = await loadRetriever(describedRetriever(files), [...someWorkflows()].reverse(), pool);
      const texts = ["where is my parcel", "refund the last invoice please", "I am locked out of my account"];
      const best: (string | undefined)[] = [];
      for (const text of texts) {
        const ranking = await forwards.rank(text, unbounded);
        const reversed = await backwards.rank(text, unbounded);
        best.push(rankedIds(ranking)[0]);
        assert.equal(rankedIds(reversed), rankedIds(ranking));
        for (const [id, score] of scoresById(reversed)) closeTo(scoresById(ranking).get(id), score);
      }
      assert.equal(best, ["orders.status", "invoices.refund", "accounts.unlock"]);
    },
  );
}
