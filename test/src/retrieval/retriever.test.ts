import { suite } from "uvu";
import * as assert from "uvu/assert";
import { toSnake } from "../../../src/domain/camel.js";
import type { WordKernelsRetrieverWire } from "../../../src/domain/model.js";
import { unbounded } from "../../../src/domain/run-scope.js";
import { InferencePool } from "../../../src/inference/pool.js";
import { lexicalRetrieverModel } from "../../../src/retrieval/kernels/default-settings.js";
import { loadRetriever, parseRetrieverModel } from "../../../src/retrieval/load-retriever.js";
import { modelFileName } from "../../../src/retrieval/model-files.js";
import { aWorkflow, someWorkflows } from "../../support/builders.js";
import { rejects, throws } from "../../support/rejects.js";
import { lexicalRetriever, rankedIds, scoresById } from "../../support/retrieval.js";

const test = suite("src/retrieval/retriever");

const pool = new InferencePool({ workers: 1, queueLimit: 256 });
test.after(() => pool.close());

const texts = [
  "where is my parcel",
  "REFUND the last invoice please",
  "locked out of my account",
  "🙂",
  "x".repeat(8000),
];

test("each text finds its workflow", async () => {
  const retriever = await lexicalRetriever(someWorkflows(), pool);
  const best = await Promise.all(
    texts.slice(0, 3).map(async (text) => rankedIds(await retriever.rank(text, unbounded))[0]),
  );
  assert.equal(best, ["orders.status", "invoices.refund", "accounts.unlock"]);
});

test("a ranking holds every workflow once, scores falling, and finite for odd texts", async () => {
  const retriever = await lexicalRetriever(someWorkflows(), pool);
  for (const text of texts) {
    const ranking = await retriever.rank(text, unbounded);
    assert.equal(
      [...rankedIds(ranking)].sort(),
      someWorkflows()
        .map((workflow) => workflow.workflowId)
        .sort(),
    );
    const byId = scoresById(ranking);
    const scores = rankedIds(ranking).map((id) => byId.get(id) ?? Number.NaN);
    assert.ok(scores.every(Number.isFinite));
    assert.equal(
      scores,
      [...scores].sort((a, b) => b - a),
    );
  }
});

test("a text of the catalog itself scores near 1 for its workflow", async () => {
  const retriever = await lexicalRetriever(someWorkflows(), pool);
  const scores = scoresById(await retriever.rank("too many failed sign-ins", unbounded));
  assert.ok((scores.get("accounts.unlock") ?? 0) > 0.8);
});

test("the order of the catalog changes no score and no rank", async () => {
  const workflows = [...someWorkflows(), aWorkflow({ workflowId: "twin.b" }), aWorkflow({ workflowId: "twin.a" })];
  const forwards = await lexicalRetriever(workflows, pool);
  const backwards = await lexicalRetriever([...workflows].reverse(), pool);
  for (const text of texts) {
    const [one, other] = [await forwards.rank(text, unbounded), await backwards.rank(text, unbounded)];
    const expected = scoresById(one);
    for (const [id, score] of scoresById(other)) assert.ok(Math.abs(score - (expected.get(id) ?? Number.NaN)) < 1e-5);
    const distinct = (ids: readonly string[]) =>
      ids.filter((id) => !["orders.status", "twin.a", "twin.b"].includes(id));
    assert.equal(distinct(rankedIds(other)), distinct(rankedIds(one)));
  }
});

test("prefixes are exact texts in front of the query and of every document", async () => {
  const plain = await lexicalRetriever(someWorkflows(), pool);
  const query = await lexicalRetriever(someWorkflows(), pool, { prefix: { query: "refund ", document: "" } });
  assert.equal((await query.rank("invoice", unbounded)).scores, (await plain.rank("refund invoice", unbounded)).scores);

  const document = await lexicalRetriever(someWorkflows(), pool, { prefix: { query: "", document: "passage " } });
  const scores = scoresById(await document.rank("passage", unbounded));
  assert.ok(
    [...scores.values()].every((score) => score > 0.1),
    "every document holds the prefix",
  );
  assert.not.equal((await document.rank("refund", unbounded)).scores, (await plain.rank("refund", unbounded)).scores);
});

test("a catalog without workflows cannot be indexed", async () => {
  await rejects(lexicalRetriever([], pool), "CATALOG_INVALID");
});

const wire = toSnake<WordKernelsRetrieverWire>(lexicalRetrieverModel);
const directory = (content: string) => new Map([[modelFileName, Buffer.from(content)]]);

test("a model directory is read through its description", async () => {
  const files = directory(JSON.stringify(wire));
  const model = parseRetrieverModel(files);
  assert.equal(model, lexicalRetrieverModel);
  const retriever = await loadRetriever(files, someWorkflows(), pool);
  assert.equal([retriever.version, retriever.capability], ["lexical-kernels-1", "production"]);
});

const faults: readonly (readonly [name: string, content: string, says: RegExp])[] = [
  ["text that is no JSON", "{", /not well-formed JSON/],
  ["another role", JSON.stringify({ ...wire, role: "verifier" }), /\/role/],
  ["an unknown field", JSON.stringify({ ...wire, colour: 1 }), /unknown field "colour"/],
  ["a kernel without width", JSON.stringify({ ...wire, head: { ...wire.head, gamma: 0 } }), /\/head\/gamma/],
  [
    "a model of an earlier kind",
    JSON.stringify({ ...wire, kind: "lexical" }),
    /kind must be one of encoder, word_kernels, fused/,
  ],
  ["a model that names no normaliser", JSON.stringify({ ...wire, normaliser: undefined }), /words-1.*expected words-2/],
];

for (const [name, content, says] of faults) {
  test(`${name} is no retriever`, () => {
    const error = throws(() => parseRetrieverModel(directory(content)), "MODEL_INVALID");
    assert.match(error.message, says);
    if (/kind|normaliser/.test(error.message)) assert.match(error.hint ?? "", /sluice model fit-lexical/);
  });
}

test("an empty directory is no retriever and says how to get one", () => {
  assert.match(throws(() => parseRetrieverModel(new Map()), "MODEL_INVALID").hint ?? "", /sluice model fit-lexical/);
});

test.run();
