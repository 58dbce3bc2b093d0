import type { Catalog } from "../../../src/documents/catalog.js";
import { unbounded } from "../../../src/documents/run-scope.js";
import { activeWorkflows } from "../../../src/router/policy/eligibility.js";
import {
  type EmbeddingCache,
  type EncoderIdentity,
  embeddingKey,
  MemoryEmbeddingCache,
} from "../../../src/router/retrieval/embedding-cache.js";
import { defaultSimilarity } from "../../../src/router/retrieval/load-retriever.js";
import { type LoadedModels, type LoadModelsOptions, loadModels, openModels } from "../../../src/router/load-models.js";
import { assert, rejects, test } from "../../support/test.js";
import { aCatalog, aWorkflow } from "../../support/builders.js";
import { wordCountEncoder } from "../../support/encoder-files.js";
import { verifierFiles } from "../../support/models.js";
import { aTextToScore } from "../../support/text-to-score.js";

const workflows = Array.from({ length: 20 }, (_, i) =>
  aWorkflow({ workflow_id: `parcel.${i}`, name: `parcel ${i}`, capabilities: [], examples: [`order number ${i}`] }),
);
const catalog = aCatalog({ workflows: [...workflows, aWorkflow({ workflow_id: "off.one", status: "disabled" })] });
const retrieverFiles = wordCountEncoder(["parcel", "order", "number", "7"]);
const sources = { retrieverFiles, verifierFiles: verifierFiles(undefined, { retriever: "encoder-1" }) };

for (const [workers, queueLimit] of [
  [1, 1],
  [2, 64],
] as const) {
  test(`${workers} threads and a queue of ${queueLimit} warm the index of the active workflows`, async () => {
    const seen: number[] = [];
    const onProgress = (done: number): unknown => seen.push(done);
    const models = await loadModels(catalog, sources, { workers, queueLimit, onProgress });
    try {
      assert.equal([seen[0], seen.at(-1)], [0, 80]);
      const { ranking } = await models.scoreText(aTextToScore(catalog, "order 7"), unbounded);
      assert.is(activeWorkflows(catalog)[ranking[0] ?? -1]?.workflow_id, "parcel.7");
      assert.is(ranking.length, 20);
    } finally {
      await models.close();
    }
  });
}

test("the cache and the signal reach the warm-up", async () => {
  const memory = new MemoryEmbeddingCache();
  const cache = async () => memory;
  const controller = new AbortController();
  const onProgress = (done: number): void => {
    if (done === 10) controller.abort();
  };
  const options = { workers: 1, queueLimit: 64, cache };
  await rejects(loadModels(catalog, sources, { ...options, onProgress, signal: controller.signal }), "INTERRUPTED");

  const seen: number[] = [];
  const models = await loadModels(catalog, sources, { ...options, onProgress: (done) => seen.push(done) });
  await models.close();
  assert.ok((seen[0] ?? 0) >= 10, `${seen[0]} vectors were kept`);
});

/** Tells which vectors were added. */
class OpenedCache extends MemoryEmbeddingCache {
  readonly added: string[] = [];
  /** Whether scored texts are encoded again. */
  drawn = false;

  override draws(): boolean {
    return this.drawn;
  }

  override put(key: string, vector: Float32Array): void {
    this.added.push(key);
    super.put(key, vector);
  }
}

test("every text that the encoder read is kept, corrected and cut ones too, and scores are the same without the cache", async () => {
  const memory = new OpenedCache();
  const identities: EncoderIdentity[] = [];
  const cache = async (identity: EncoderIdentity): Promise<EmbeddingCache> => {
    identities.push(identity);
    return memory;
  };
  const similarity = { ...defaultSimilarity, corrected_from: 5 };
  const retriever = wordCountEncoder(["parcel", "order", "number", "7"], { similarity });
  const texts = ["order 7", "ordar 7", "parcal order 7", "order 7 ".repeat(20), "ordar 7 ".repeat(20)];
  const scoresWith = async (more: Partial<LoadModelsOptions>): Promise<readonly unknown[]> => {
    const options = { workers: 1, queueLimit: 64, ...more };
    const models = await loadModels(catalog, { ...sources, retrieverFiles: retriever }, options);
    const scores: unknown[] = [];
    try {
      for (const text of texts) {
        const { retrievalScores, logits, ranking, textCut } = await models.scoreText(
          aTextToScore(catalog, text),
          unbounded,
        );
        scores.push({ retrievalScores, logits, ranking, textCut });
      }
    } finally {
      await models.close();
    }
    return scores;
  };
  const keyOf = (text: string, cut = false): string =>
    embeddingKey(identities[0] ?? { sha256: "", dimensions: 0 }, { text, cut });

  const uncached = await scoresWith({});
  const first = await scoresWith({ cache, cachesRequests: true });
  const ofTexts = memory.added.slice(-3);
  assert.equal(ofTexts, [keyOf("order 7"), keyOf("parcel order 7"), keyOf("order 7 ".repeat(20), true)]);
  const { length } = memory.added;
  const again = await scoresWith({ cache, cachesRequests: true });
  assert.is(memory.added.length, length, "a second run encodes nothing");
  assert.equal([first, again], [uncached, uncached]);

  memory.put(keyOf("parcel order 7"), Float32Array.of(1, 0, 0, 0));
  assert.not.equal((await scoresWith({ cache, cachesRequests: true }))[2], uncached[2]);
  memory.drawn = true;
  await rejects(scoresWith({ cache, cachesRequests: true }), "HASH_MISMATCH");
});

test("open models serve one catalog after another, and an index that is closed scores nothing more", async () => {
  const open = await openModels(sources, { workers: 2, queueLimit: 64 });
  try {
    const first = await open.over(catalog);
    const alone = aCatalog({ workflows: workflows.slice(7, 9) });
    const second = await open.over(alone);
    const best = async (models: LoadedModels, over: Catalog): Promise<string | undefined> => {
      const { ranking } = await models.scoreText(aTextToScore(over, "order 7"), unbounded);
      return activeWorkflows(over)[ranking[0] ?? -1]?.workflow_id;
    };
    assert.equal([await best(first, catalog), await best(second, alone)], ["parcel.7", "parcel.7"]);
    await first.close();
    assert.is(await best(second, alone), "parcel.7");
    await rejects(best(first, catalog), "MODEL_RUN_FAILED");
    const { restarts, workersReady } = second.statistics();
    assert.equal([restarts, workersReady], [0, 2]);
  } finally {
    await open.close();
  }
});
