/** Index, features and patterns live in the inference threads; the calling thread keeps none of them. */
import { unbounded, within } from "../../../../src/documents/run-scope.js";
import { InputFeatures } from "../../../../src/router/verification/similarity-features.js";
import { HybridRetriever } from "../../../../src/router/retrieval/hybrid-retriever.js";
import { loadModels } from "../../../../src/router/load-models.js";
import { assert, rejects, test } from "../../../support/test.js";
import { aCatalog, anInput, aWorkflow } from "../../../support/builders.js";
import { retrieverFiles, testModels, verifierFiles } from "../../../support/models.js";
import { aTextToScore } from "../../../support/text-to-score.js";

const goods = ["apples", "boots", "candles", "drums", "engines", "flutes", "gloves", "hammers", "irons", "jackets"];
const workflows = goods.map((name) =>
  aWorkflow({
    workflow_id: `send.${name}`,
    name: `parcel of ${name}`,
    capabilities: [],
    examples: [`send ${name}`],
    required_inputs: [anInput({ name: "weight", pattern: "(?P<value>[0-9]+) kg" })],
  }),
);
const catalog = aCatalog({ workflows });
const sources = { retrieverFiles: retrieverFiles(), verifierFiles: verifierFiles() };

/** Runs `body` while nothing may be indexed or read for features in this thread. */
async function withoutScoringHere(body: () => Promise<void>): Promise<void> {
  const refuse = (): never => {
    throw new Error("the calling thread was asked to score");
  };
  const restore = [replaced(HybridRetriever, "create", refuse), replaced(InputFeatures.prototype, "write", refuse)];
  try {
    await body();
  } finally {
    for (const putBack of restore) putBack();
  }
}

/** Puts another method in the place of one; the answer puts the first one back. */
function replaced(owner: object, name: string, value: () => never): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  if (own === undefined) throw new RangeError(name);
  Object.defineProperty(owner, name, { ...own, value });
  return () => Object.defineProperty(owner, name, own);
}

test("a catalog is indexed and its texts are scored while the calling thread does neither", () =>
  withoutScoringHere(async () => {
    const progress: (readonly number[])[] = [];
    const onProgress = (done: number, total: number): unknown => progress.push([done, total]);
    const models = await loadModels(catalog, sources, { workers: 2, queueLimit: 64, onProgress });
    try {
      const texts = ["send flutes", "a parcel of boots with 12 kg", "jackets"];
      const scores = await Promise.all(texts.map((text) => models.scoreText(aTextToScore(catalog, text), unbounded)));
      assert.equal(
        scores.map(({ ranking }) => ranking[0]),
        [5, 1, 9],
      );
      assert.equal(
        scores.map(({ patterns }) => patterns.absent.size),
        [1, 0, 1],
      );
      assert.equal(models.statistics().sent, 3);
    } finally {
      await models.close();
    }
    assert.is(progress[0]?.[0], 0);
    assert.is(progress.at(-1)?.[0], progress.at(-1)?.[1]);
  }));

test("a load that is wanted no more ends, and so do its threads", async () => {
  const controller = new AbortController();
  const onProgress = (): void => controller.abort();
  const options = { workers: 2, queueLimit: 64, onProgress, signal: controller.signal };
  await rejects(loadModels(catalog, sources, options), "INTERRUPTED");
  await rejects(loadModels(catalog, sources, { ...options, signal: AbortSignal.abort() }), "INTERRUPTED");
});

test("a deadline, a spent budget for patterns and a signal end a request, not the thread", async () => {
  const few = aCatalog({ workflows: workflows.slice(0, 3) });
  const models = await testModels(few);
  try {
    const clocks = { now: () => performance.now() };
    const late = models.scoreText(aTextToScore(few, "parcel", { leftMs: 0, patternBudgetMs: 25 }), unbounded);
    await rejects(late, "DEADLINE_EXCEEDED");
    await rejects(models.scoreText(aTextToScore(few, "parcel"), within(0, clocks, null)), "DEADLINE_EXCEEDED");
    const left = models.scoreText(aTextToScore(few, "parcel"), within(1000, clocks, AbortSignal.abort()));
    await rejects(left, "REQUEST_CANCELLED");
    const spent = await models.scoreText(aTextToScore(few, "parcel 1", { patternBudgetMs: 0 }), unbounded);
    assert.equal([...spent.patterns.timedOut], ["(?P<value>[0-9]+) kg"]);
    const { restarts, workersReady } = models.statistics();
    assert.equal([restarts, workersReady], [0, 1]);
  } finally {
    await models.close();
  }
});
