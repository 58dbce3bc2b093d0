/** Vectors that a bundle keeps: they replace the encoding of a catalog, and only of that one. */
import { unbounded } from "../../../../src/documents/run-scope.js";
import { headsBehind, largestDifference } from "../../../../src/router/retrieval/stored-vectors.js";
import { loadModels, type ModelSources } from "../../../../src/router/load-models.js";
import { assert, rejects, test } from "../../../support/test.js";
import { aCatalog, aWorkflow } from "../../../support/builders.js";
import { wordCountEncoder } from "../../../support/encoder-files.js";
import { verifierFiles } from "../../../support/models.js";
import { aTextToScore } from "../../../support/text-to-score.js";

const catalogOf = (...names: readonly string[]) =>
  aCatalog({
    workflows: names.map((name) =>
      aWorkflow({ workflow_id: `send.${name}`, name: `send ${name}`, capabilities: [], examples: [`order ${name}`] }),
    ),
  });
const catalog = catalogOf("apples", "boots", "candles");
const encoder = wordCountEncoder(["send", "order", "apples", "boots", "candles", "drums"]);
const sources: ModelSources = {
  retrieverFiles: encoder,
  verifierFiles: verifierFiles(undefined, { retriever: "encoder-1" }),
};
const one = { workers: 1, queueLimit: 64 };

async function scoresOf(given: ModelSources, encoded: number[] = []) {
  const onProgress = (done: number, total: number): unknown => encoded.push(total - done);
  const models = await loadModels(catalog, given, { ...one, onProgress });
  try {
    const { retrievalScores } = await models.scoreText(aTextToScore(catalog, "order boots"), unbounded);
    return { retrievalScores, vectors: await models.vectorBytes() };
  } finally {
    await models.close();
  }
}

const refusal = (vectorBytes: Buffer, given: ModelSources = sources) =>
  rejects(loadModels(catalog, { ...given, vectorBytes }, one), "MODEL_INVALID");

test("stored vectors give the same scores and the same bytes again", async () => {
  const first = await scoresOf(sources);
  assert.ok(first.vectors !== null);
  const again = await scoresOf({ ...sources, vectorBytes: first.vectors });
  assert.equal(again, first);
});

test("vectors of another catalog or another encoder are refused", async () => {
  const models = await loadModels(catalogOf("apples", "boots", "drums"), sources, one);
  const others = await models.vectorBytes();
  await models.close();
  assert.ok(others !== null);
  assert.match((await refusal(others)).message, /belong to another encoder or to other texts/);

  const { vectors } = await scoresOf(sources);
  assert.ok(vectors !== null);
  const prefixed = { ...sources, retrieverFiles: wordCountEncoder(["send", "order", "apples", "boots", "drums"]) };
  assert.match((await refusal(vectors, prefixed)).message, /belong to another encoder or to other texts/);
});

test("cut, lengthened and damaged vectors are refused", async () => {
  const { vectors } = await scoresOf(sources);
  assert.ok(vectors !== null);
  assert.match((await refusal(vectors.subarray(0, vectors.length - 1))).message, /have \d+ bytes, expected \d+/);
  assert.match((await refusal(Buffer.concat([vectors, Buffer.alloc(4)]))).message, /have \d+ bytes, expected \d+/);
  assert.match((await refusal(Buffer.alloc(3))).message, /are no vectors/);
  const damaged = Buffer.from(vectors);
  damaged.writeFloatLE(Number.NaN, damaged.length - 4);
  assert.match((await refusal(damaged)).message, /non-finite number/);

  damaged.writeFloatLE(vectors.readFloatLE(vectors.length - 4) + 0.5, damaged.length - 4);
  assert.is(largestDifference(vectors, damaged), 0.5);
  assert.is(largestDifference(vectors, vectors.subarray(0, 80)), Number.POSITIVE_INFINITY);
});

/** Two texts more than are compared with each other, so that its heads are kept. */
const large = aCatalog({
  workflows: Array.from({ length: 1025 }, (_, place) =>
    aWorkflow({
      workflow_id: `send.number-${place}`,
      name: `send ${["apples", "boots", "candles"][place % 3]}`,
      description: `number ${place}`,
      capabilities: [],
      examples: [],
    }),
  ),
});

test("the heads of a large catalog are kept with its vectors, and used", async () => {
  const request = aTextToScore(large, "send boots number 7");
  const indexed = async (vectorBytes: Buffer | null) => {
    const models = await loadModels(large, { ...sources, vectorBytes }, one);
    try {
      const { retrievalScores } = await models.scoreText(request, unbounded);
      return { retrievalScores, stored: (await models.vectorBytes()) ?? Buffer.alloc(0) };
    } finally {
      await models.close();
    }
  };
  const first = await indexed(null);
  const heads = headsBehind(first.stored);
  assert.ok(heads.length > 0);
  assert.equal(await indexed(first.stored), first);

  const start = first.stored.length - heads.length;
  const moved = Buffer.from(first.stored);
  const [starts, weights] = [heads.readUInt32LE(32), heads.readUInt32LE(36)];
  moved.fill(0, start + 40 + 4 * (starts + weights), start + 40 + 4 * (starts + 2 * weights));
  const used = await indexed(moved);
  assert.ok(used.retrievalScores.every((score) => score === 0));
  assert.ok(used.stored.equals(first.stored), "heads are fitted again on the vectors");

  const refused = async (bytes: Buffer) =>
    (await rejects(loadModels(large, { ...sources, vectorBytes: bytes }, one), "MODEL_INVALID")).message;
  assert.match(await refused(first.stored.subarray(0, first.stored.length - 4)), /stored heads are cut/);
  assert.match(await refused(Buffer.concat([first.stored, Buffer.alloc(4)])), /stored heads have 4 bytes too many/);
  const other = Buffer.from(first.stored);
  other.writeUInt8(other.readUInt8(start) ^ 1, start);
  assert.match(await refused(other), /stored heads belong to other settings/);
  const nameless = Buffer.from(first.stored);
  nameless.writeFloatLE(Number.NaN, nameless.length - 4);
  assert.match(await refused(nameless), /stored heads hold a value/);
});
