/** Requests that share model runs are decided as each would be alone; with the trained encoder. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type RunScope, unbounded } from "../../../src/domain/run-scope.js";
import { retrievalTolerance } from "../../../src/policy/decision-slack.js";
import { type LoadedModels, loadModels } from "../../../src/routing/load-models.js";
import { aCalibration, aPolicy, aRouteRequest } from "../../support/builders.js";
import { tinyBertEncoder, wordCountEncoder } from "../../support/encoder-files.js";
import { verifierFiles } from "../../support/models.js";
import { ruleCatalog, ruleRouter } from "../../support/rule-router.js";
import { aTextToScore } from "../../support/text-to-score.js";
import { testWithShared } from "../../support/shared.js";

const test = suite("src/routing/shared-runs");

const threads = { workers: 1, queueLimit: 256 };
const together = { ...unbounded, alone: false };

test("a description says whether its model shares runs", async () => {
  for (const batching of ["shared", "alone"] as const) {
    const retrieverFiles = wordCountEncoder(["order", "room"], { batching });
    const models = await loadModels(ruleCatalog, { retrieverFiles, verifierFiles: verifierFiles() }, threads);
    assert.is(models.sharesRuns, batching === "shared");
    await models.close();
  }
});

/** Texts of many lengths, so that a shared run pads most of them. */
const texts = ruleCatalog.workflows
  .flatMap(({ examples, description }) => [...examples, description, `${description} ${examples.join(" ")}`])
  .flatMap((text) => [text, `please ${text}`, text.split(" ").reverse().join(" ")]);

async function withTinyBert(run: (models: LoadedModels) => Promise<void>): Promise<void> {
  const sources = { retrieverFiles: tinyBertEncoder("model.onnx"), verifierFiles: verifierFiles() };
  const models = await loadModels(ruleCatalog, sources, threads);
  try {
    await run(models);
  } finally {
    await models.close();
  }
}

testWithShared(test, "retrieval scores of shared runs differ by less than the stated tolerance", () =>
  withTinyBert(async (models) => {
    assert.is(models.sharesRuns, true);
    const alone: ReadonlyMap<number, number>[] = [];
    const everyWorkflow = { topK: ruleCatalog.workflows.length };
    const scoresOf = async (text: string, scope: RunScope): Promise<ReadonlyMap<number, number>> => {
      const found = await models.scoreText(aTextToScore(ruleCatalog, text, everyWorkflow), scope);
      return new Map(found.positions.map((position, i) => [position, found.retrievalScores[i] ?? Number.NaN]));
    };
    for (const text of texts) alone.push(await scoresOf(text, unbounded));
    const shared = await Promise.all(texts.map((text) => scoresOf(text, together)));
    const differences = alone.map((one, index) =>
      Math.max(...[...one].map(([position, score]) => Math.abs(score - (shared[index]?.get(position) ?? Number.NaN)))),
    );
    assert.ok(Math.max(...differences) < retrievalTolerance, `largest difference ${Math.max(...differences)}`);
  }),
);

testWithShared(test, "whatever the threshold, concurrent requests get the decision that they get alone", () =>
  withTinyBert(async (models) => {
    const policy = aPolicy({ deadlineMs: 60_000 });
    const alone = ruleRouter({ ...models, sharesRuns: false }, { policy });
    const confidences: number[] = [];
    for (const text of texts) confidences.push((await alone.route(aRouteRequest({ text }))).confidence);
    const tiers = aCalibration().tiers;
    for (const confidence of confidences.slice(0, 8)) {
      const at = { ...tiers.low, confidence };
      const calibration = aCalibration({ tiers: { low: at, medium: at, high: at, critical: at } });
      const router = ruleRouter(models, { policy, calibration });
      const single = [];
      for (const text of texts) single.push(await router.route(aRouteRequest({ text })));
      const many = await Promise.all(texts.map((text) => router.route(aRouteRequest({ text }))));
      const decided = ({ reasonCode, workflowId }: (typeof many)[number]) => [reasonCode, workflowId];
      assert.equal(many.map(decided), single.map(decided));
    }
  }),
);

test.run();
