import { createWorkerModel } from "../../../../src/inference/models/create-worker-model.js";
import type { WorkerModel } from "../../../../src/inference/models/worker-model.js";
import { assert, rejects, test, testWithShared } from "../../../support/test.js";
import { bertTokenizer, robertaTokenizer } from "../../../support/tokenizer-files.js";
import {
  inside,
  interactionVerifier,
  matricesOf,
  outcomesOf,
  type PairScorerSpec,
  pairsJob,
  rowsOf,
  runAlone,
  sumGraph,
  textsJob,
} from "../../../support/transformers.js";
import { requireRows } from "../../../../src/inference/require-rows.js";

/** Sums over [PAD] [UNK] [CLS] [SEP] [MASK] a b, plus 100 for every token of the second segment. */
const values = [0, 0, 0, 0, 0, 1, 7];

const spec: PairScorerSpec = {
  kind: "pair_scorer",
  graph: inside(sumGraph(values, true)),
  tokenizer: bertTokenizer(["a", "b"]),
  maxTokens: 16,
  output: "logits",
  documents: ["b", "b b a", "[SEP] a"],
};

async function withModel(overrides: Partial<PairScorerSpec>, body: (model: WorkerModel) => Promise<void>) {
  const model = await createWorkerModel({ ...spec, ...overrides });
  try {
    await body(model);
  } finally {
    await model.release();
  }
}

test("each document is read with the text, as the second segment", () =>
  withModel({}, async (model) => {
    const {
      rows,
      columns,
      values: scores,
    } = await runAlone(model, { kind: "pairs", text: "a a", documents: [1, 0, 1] });
    assert.equal([rows, columns], [3, 1]);
    assert.equal([...scores], [17 + 400, 9 + 200, 17 + 400]);
  }));

test("a separator inside a document does not end it", () =>
  withModel({}, async (model) => {
    const { values: scores } = await runAlone(model, { kind: "pairs", text: "a", documents: [2] });
    assert.equal([...scores], [2 + 5 * 100]);
  }));

test("a list of numbers counts as one column", () =>
  withModel({ graph: inside(sumGraph(values, false)) }, async (model) => {
    const matrix = await runAlone(model, { kind: "pairs", text: "a", documents: [0, 1] });
    assert.equal(rowsOf(matrix), [[8 + 200], [16 + 400]]);
  }));

test("long pairs are cut and reported", () =>
  withModel({ maxTokens: 6 }, async (model) => {
    const [outcome] = await outcomesOf(model, [pairsJob(1, "a a a", [1, 0])]);
    assert.ok(outcome !== undefined && "output" in outcome);
    assert.is(requireRows(outcome.output).truncatedRows, 2);
    assert.equal([...requireRows(outcome.output).matrix.values], [2 + 7 + 200, 2 + 7 + 200]);
  }));

test("texts, and documents that the model does not have, fail alone", () =>
  withModel({}, async (model) => {
    const outcomes = await outcomesOf(model, [textsJob(1, ["a"]), pairsJob(2, "a", [3]), pairsJob(3, "a", [0])]);
    assert.equal(
      outcomes.map((outcome) => [outcome.id, "error" in outcome ? outcome.error.message : "done"]),
      [
        [1, "a pair scorer cannot run texts"],
        [2, "the model has no document 3"],
        [3, "done"],
      ],
    );
  }));

test("a tokenizer without a form for two texts is refused", async () => {
  const tokenizer = robertaTokenizer({ post_processor: null });
  await rejects(createWorkerModel({ ...spec, tokenizer }), "MODEL_INVALID");
  await rejects(createWorkerModel({ ...spec, maxTokens: 4 }), "MODEL_INVALID");
});

const contracts = [
  "Reset a password. Set a new password for the signed-in account.",
  "Get order status. Look up where an order is.",
  "Cancel an order that has not been shipped yet.",
];

testWithShared(test, "the verifier of ../shared gives one logit per pair, the same in any company", async () => {
  const model = await createWorkerModel(interactionVerifier(contracts));
  const texts = ["reset my password", "where is my order", "please cancel order 4812, I no longer need it"];
  const shared = await matricesOf(
    model,
    texts.map((text, id) => pairsJob(id, text, [0, 1, 2])),
  );
  for (const [id, text] of texts.entries()) {
    const matrix = shared.get(id);
    assert.equal([matrix?.rows, matrix?.columns], [3, 1]);
    const alone = await runAlone(model, { kind: "pairs", text, documents: [0, 1, 2] });
    assert.equal(matrix?.values, alone.values);
    assert.ok(new Set(alone.values).size === 3);
  }
  await model.release();
});
