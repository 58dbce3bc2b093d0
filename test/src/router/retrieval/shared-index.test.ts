/** What one thread builds, another opens. */
import { unbounded } from "../../../../src/documents/run-scope.js";
import { SharedMemory } from "../../../../src/inference/shared-memory.js";
import { SharedRows } from "../../../../src/inference/shared-rows.js";
import { catalogTexts } from "../../../../src/router/retrieval/catalog-texts.js";
import { HybridRetriever } from "../../../../src/router/retrieval/hybrid-retriever.js";
import { lexicalRetrieverModel } from "../../../../src/router/retrieval/load-retriever.js";
import { scaleToUnit } from "../../../../src/router/retrieval/term-index.js";
import type { EncodedTexts } from "../../../../src/router/retrieval/text-encoder.js";
import { assert, test } from "../../../support/test.js";
import { aWorkflow } from "../../../support/builders.js";

const model = { ...lexicalRetrieverModel, similarity: { ...lexicalRetrieverModel.similarity, corrected_from: 5 } };
const goods = ["apples", "boots", "candles", "drums", "engines", "flutes", "gloves"];
const workflows = goods.map((name) =>
  aWorkflow({
    workflow_id: `send.${name}`,
    name: `parcel of ${name}`,
    examples: [`send ${name}`, `where are ${name}`],
  }),
);
const texts = ["send flutes to me", "where is my parcel of boots", "cadles", "", "nothing known"];
const dimensions = 4;

/** An encoder of letters, with vectors in separate memory. */
function encodedTexts(vectors: SharedRows): EncodedTexts {
  const encode = (text: string): Float32Array => {
    const vector = Float32Array.from({ length: dimensions }, (_, d) => Math.sin((1 + d) * text.length));
    scaleToUnit(vector);
    return vector;
  };
  const encoder = {
    dimensions,
    words: goods,
    encode: (text: string) => Promise.resolve({ vector: encode(text), truncated: false }),
  };
  for (let row = 0; row < vectors.rows; row += 1) vectors.row(row).set(encode("x".repeat(row)));
  return { encoder, vectors, heads: null };
}

async function measuresOf(retriever: HybridRetriever): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const text of texts) {
    const { index, similarities, scores } = await retriever.rank(text, unbounded);
    const { mixed, lexical, encoder } = similarities;
    const heads = index.scores("lexical", similarities, index.positions).slice();
    found.push([scores, mixed.slice(), lexical.slice(), encoder.slice(), similarities.unknownShare, heads]);
  }
  return found;
}

test("an index that another thread has built gives the same bytes, with an encoder and without one", async () => {
  const textCount = catalogTexts(workflows).texts.length;
  for (const encoded of [null, encodedTexts(SharedRows.ofSize(textCount, dimensions))]) {
    const first = await HybridRetriever.create({ model, encoded }, workflows);
    const built = structuredClone(first.index.toShare());
    const vectors =
      built.vectors === null ? null : new SharedRows(built.vectors, new SharedMemory(built.vectors.memory));
    const opened = await HybridRetriever.create(
      { model, encoded: encoded === null || vectors === null ? null : { ...encoded, vectors }, built },
      workflows,
    );
    assert.is(opened.index.heads.mixed.weights.buffer, built.heads.mixed.weights.buffer);
    assert.equal(await measuresOf(opened), await measuresOf(first));
  }
});

test("similarities of a text are refused once the index has compared another one", async () => {
  const retriever = await HybridRetriever.create({ model, encoded: null }, workflows);
  const { index, similarities } = await retriever.rank("send flutes", unbounded);
  await retriever.rank("send boots", unbounded);
  assert.throws(() => index.closeness(similarities, index.positions), "another text");
});
