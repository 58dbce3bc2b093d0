import { describedRetriever } from "../../../../src/router/retrieval/parse-retriever.js";
import { unbounded } from "../../../../src/documents/run-scope.js";
import { InferencePool } from "../../../../src/inference/pool.js";
import { lexicalRetrieverModel, loadRetriever } from "../../../../src/router/retrieval/load-retriever.js";
import { parseRetrieverModel } from "../../../../src/router/retrieval/parse-retriever.js";
import { modelFileName } from "../../../../src/router/retrieval/model-files.js";
import { assert, rejects, test, throws } from "../../../support/test.js";
import { aWorkflow, someWorkflows } from "../../../support/builders.js";
import { lexicalRetriever, rankedIds, scoresById } from "../../../support/retrieval.js";

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
  const retriever = await lexicalRetriever(someWorkflows());
  const best = await Promise.all(
    texts.slice(0, 3).map(async (text) => rankedIds(await retriever.rank(text, unbounded))[0]),
  );
  assert.equal(best, ["orders.status", "invoices.refund", "accounts.unlock"]);
});

test("a ranking holds every workflow once, scores falling, and finite for odd texts", async () => {
  const retriever = await lexicalRetriever(someWorkflows());
  for (const text of texts) {
    const ranking = await retriever.rank(text, unbounded);
    assert.equal(
      [...rankedIds(ranking)].sort(),
      someWorkflows()
        .map((workflow) => workflow.workflow_id)
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
  const retriever = await lexicalRetriever(someWorkflows());
  const scores = scoresById(await retriever.rank("too many failed sign-ins", unbounded));
  assert.ok((scores.get("accounts.unlock") ?? 0) > 0.8);
});

test("the order of the catalog changes no score and no rank", async () => {
  const workflows = [...someWorkflows(), aWorkflow({ workflow_id: "twin.b" }), aWorkflow({ workflow_id: "twin.a" })];
  const forwards = await lexicalRetriever(workflows);
  const backwards = await lexicalRetriever([...workflows].reverse());
  for (const text of texts) {
    const [one, other] = [await forwards.rank(text, unbounded), await backwards.rank(text, unbounded)];
    const expected = scoresById(one);
    for (const [id, score] of scoresById(other)) assert.ok(Math.abs(score - (expected.get(id) ?? Number.NaN)) < 1e-5);
    const distinct = (ids: readonly string[]) =>
      ids.filter((id) => !["orders.status", "twin.a", "twin.b"].includes(id));
    assert.equal(distinct(rankedIds(other)), distinct(rankedIds(one)));
  }
});

test("a catalog without workflows cannot be indexed", async () => {
  await rejects(lexicalRetriever([]), "CATALOG_INVALID");
});

const wire = lexicalRetrieverModel;
const directory = (content: string) => new Map([[modelFileName, Buffer.from(content)]]);

test("a model directory is read through its description", async () => {
  const files = directory(JSON.stringify(wire));
  const model = parseRetrieverModel(files);
  assert.equal(model, lexicalRetrieverModel);
  const retriever = await loadRetriever(describedRetriever(files), someWorkflows(), pool);
  assert.equal([retriever.version, retriever.capability], ["lexical-1", "production"]);
});

const faults: readonly (readonly [name: string, content: string, says: RegExp])[] = [
  ["text that is no JSON", "{", /not well-formed JSON/],
  ["another role", JSON.stringify({ ...wire, role: "verifier" }), /\/role/],
  ["an unknown field", JSON.stringify({ ...wire, colour: 1 }), /unknown field "colour"/],
  ["a kernel without width", JSON.stringify({ ...wire, head: { ...wire.head, gamma: 0 } }), /\/head\/gamma/],
  [
    "a model of an earlier kind",
    JSON.stringify({ ...wire, kind: "word_kernels" }),
    /kind must be one of encoder, table, lexical/,
  ],
  ["a model for another normaliser", JSON.stringify({ ...wire, normaliser: "words-2" }), /words-2, expected words-3/],
];

for (const [name, content, says] of faults) {
  test(`${name} is no retriever`, () => {
    const error = throws(() => parseRetrieverModel(directory(content)), "MODEL_INVALID");
    assert.match(error.message, says);
    if (/kind|normaliser/.test(error.message)) assert.match(error.hint ?? "", /sluice model fit/);
  });
}

test("an empty directory is no retriever and says how to get one", () => {
  assert.match(throws(() => parseRetrieverModel(new Map()), "MODEL_INVALID").hint ?? "", /sluice model describe/);
});
