/** A trained encoder fused with the shipped word kernels: scored offline as it is served, in any number of threads. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scoreDataset } from "../../../eval/score-dataset.js";
import { scoredTableBytes } from "../../../eval/scored-table.js";
import { unbounded } from "../../../src/domain/run-scope.js";
import { InferencePool } from "../../../src/inference/pool.js";
import { decide } from "../../../src/policy/decide.js";
import { activeWorkflows } from "../../../src/policy/eligibility.js";
import { loadRetriever } from "../../../src/retrieval/load-retriever.js";
import type { ModelFiles } from "../../../src/retrieval/model-files.js";
import { CandidateScorer } from "../../../src/routing/candidate-scorer.js";
import { goldenRequest } from "../../../src/routing/check-golden.js";
import { type LoadedModels, loadModels, type ModelSources } from "../../../src/routing/load-models.js";
import { aCalibration, aPolicy } from "../../support/builders.js";
import { tinyBertEncoder } from "../../support/encoder-files.js";
import { fusedFiles, shippedFiles } from "../../support/fused-files.js";
import { ruleCatalog, ruleCatalogIds, ruleRouter } from "../../support/rule-router.js";
import { testWithShared } from "../../support/shared.js";
import { aTextToScore } from "../../support/text-to-score.js";

const test = suite("src/routing/fused-models");

const weight = 0.4;
const texts = ruleCatalog.workflows.flatMap(({ examples, description }) => [...examples, `please ${description}`]);
const rows = texts.map((text, i) => ({ id: `r-${i}`, text, workflowId: null, groupId: `g-${i}` }));
/** No request is stopped before it is scored. */
const policy = aPolicy({ deadlineMs: 60_000, topK: ruleCatalogIds.length });

async function withModels<T>(sources: ModelSources, workers: number, run: (models: LoadedModels) => Promise<T>) {
  const models = await loadModels(ruleCatalog, sources, { workers, queueLimit: 256 });
  try {
    return await run(models);
  } finally {
    await models.close();
  }
}

const score = (models: LoadedModels) =>
  scoreDataset({
    rows,
    foldOf: new Map(rows.map(({ groupId }) => [`group:${groupId}`, "eval"])),
    scorer: new CandidateScorer({ catalog: ruleCatalog, policy, ...models, now: () => 0 }),
    catalogVersion: ruleCatalog.catalogVersion,
    workflowIds: ruleCatalogIds,
    concurrency: 8,
  });

async function partsAndFused() {
  const encoder = tinyBertEncoder("model_quantized.onnx");
  const wordKernels = await shippedFiles("retriever");
  const verifierFiles = await shippedFiles("verifier");
  return {
    encoder,
    wordKernels,
    verifierFiles,
    fused: fusedFiles({ encoder, wordKernels }, { encoder_weight: weight }),
  };
}

testWithShared(
  test,
  "offline records are the same bytes in one thread and in three, and the router decides as they do",
  async () => {
    const { fused, verifierFiles } = await partsAndFused();
    const sources = { retrieverFiles: fused, verifierFiles };
    const calibration = aCalibration();
    const one = await withModels(sources, 1, score);
    await withModels(sources, 3, async (models) => {
      assert.equal(scoredTableBytes(await score(models)), scoredTableBytes(one));
      const router = ruleRouter(models, { policy, calibration });
      for (const { candidates, earlyReason, id } of one.filter((record) => record.earlyReason === null)) {
        assert.is(earlyReason, null);
        const served = await router.route(goldenRequest(texts[Number(id.slice(2))] ?? "", router));
        const { decision, workflowId, reasonCode, confidence } = decide(candidates, calibration);
        assert.equal(
          [served.decision, served.workflowId, served.reasonCode, served.confidence],
          [decision, workflowId, reasonCode, confidence],
          id,
        );
      }
    });
  },
);

testWithShared(
  test,
  "scores are those fused by hand, and the verifier of the word kernels says what it says of them alone",
  async () => {
    const { encoder, wordKernels, verifierFiles, fused } = await partsAndFused();
    const pool = new InferencePool({ workers: 1, queueLimit: 64 });
    const ranked = async (files: ModelFiles) => {
      const retriever = await loadRetriever(files, activeWorkflows(ruleCatalog), pool);
      return Promise.all(texts.map((text) => retriever.rank(text, unbounded)));
    };
    const [dense, sparse] = [await ranked(encoder), await ranked(wordKernels)];
    await pool.close();
    const scoresOf = (retrieverFiles: ModelSources["retrieverFiles"]) => {
      const all = { topK: ruleCatalogIds.length };
      return withModels({ retrieverFiles, verifierFiles }, 1, (models) =>
        Promise.all(texts.map((text) => models.scoreText(aTextToScore(ruleCatalog, text, all), unbounded))),
      );
    };
    const [words, both] = [await scoresOf(wordKernels), await scoresOf(fused)];
    for (const [i, { positions, logits, retrievalScores }] of both.entries()) {
      const byHand = positions.map((position) => {
        return weight * (dense[i]?.scores[position] ?? 0) + (1 - weight) * (sparse[i]?.scores[position] ?? 0);
      });
      assert.equal(retrievalScores, byHand);
      const alone = words[i];
      const at = new Map(alone?.positions.map((position, place) => [position, place]));
      assert.equal(
        logits,
        positions.map((position) => alone?.logits[at.get(position) ?? -1]),
      );
    }
  },
);

test.run();
