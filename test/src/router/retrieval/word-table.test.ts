import { describedRetriever } from "../../../../src/router/retrieval/parse-retriever.js";
import { unbounded } from "../../../../src/documents/run-scope.js";
import { floatMatrix, onnxModel } from "../../../../src/inference/onnx-graph.js";
import { InferencePool } from "../../../../src/inference/pool.js";
import { lexicalRetrieverModel, loadRetriever } from "../../../../src/router/retrieval/load-retriever.js";
import { type ModelFiles, modelFileName } from "../../../../src/router/retrieval/model-files.js";
import { parseVocabulary, WordTable } from "../../../../src/router/retrieval/text-encoder.js";
import { assert, rejects, test, throws } from "../../../support/test.js";
import { aWorkflow } from "../../../support/builders.js";
import { rankedIds } from "../../../support/retrieval.js";
import { wordsOf } from "../../../../src/router/retrieval/words.js";

const pool = new InferencePool({ workers: 1, queueLimit: 8 });
test.after(() => pool.close());

/** "parcel" and "package" mean nearly the same, "refund" something else. */
const words = ["parcel", "package", "refund"];
const rows = [
  [1, 0],
  [0.9, 0.1],
  [0, 1],
];

/** `ids` [n, 1] -> `vectors` [n, 2]. */
const table = onnxModel({
  name: "vectors",
  inputs: [floatMatrix("ids", 1)],
  outputs: [floatMatrix("vectors", 2)],
  constants: [
    { name: "table", dimensions: [3, 2], values: Float32Array.from(rows.flat()) },
    { name: "flat", dimensions: [1], values: BigInt64Array.of(-1n) },
  ],
  nodes: [
    { operator: "Cast", inputs: ["ids"], outputs: ["whole"], attributes: [{ name: "to", int: 7 }] },
    { operator: "Reshape", inputs: ["whole", "flat"], outputs: ["list"] },
    { operator: "Gather", inputs: ["table", "list"], outputs: ["vectors"] },
  ],
});

function files(overrides: object = {}): ModelFiles {
  const description = {
    ...lexicalRetrieverModel,
    kind: "table",
    version: "table-1",
    graph: "vectors.onnx",
    vocabulary: "words.txt",
    dimensions: 2,
    ...overrides,
  };
  return new Map([
    [modelFileName, Buffer.from(JSON.stringify(description))],
    ["vectors.onnx", table],
    ["words.txt", Buffer.from("parcel 3\npackage 2\nrefund 1\n")],
  ]);
}

test("the vector of a text is the sum of the vectors of its known words, of length 1", () => {
  const loaded = new WordTable(words, Float32Array.from(rows.flat()), 2);
  const half = Math.fround(Math.SQRT1_2);
  const vector = loaded.vectorOf(wordsOf("Parcel, REFUND or nothing"));
  assert.ok(vector.every((value) => Math.abs(value - half) < 1e-6));
  assert.equal([...loaded.vectorOf(wordsOf("nothing known"))], [0, 0]);
});

test("a word that the catalog lacks finds the workflow whose words mean the same", async () => {
  const blank = { description: "", capabilities: [], examples: [] };
  const workflows = [
    aWorkflow({ ...blank, workflow_id: "money", name: "refund" }),
    aWorkflow({ ...blank, workflow_id: "track", name: "parcel" }),
  ];
  const retriever = await loadRetriever(describedRetriever(files()), workflows, pool);
  assert.equal(rankedIds(await retriever.rank("my package", unbounded)), ["track", "money"]);
});

test("vectors and words of different numbers are refused", async () => {
  const error = await rejects(
    loadRetriever(describedRetriever(files({ dimensions: 3 })), [aWorkflow()], pool),
    "MODEL_INVALID",
  );
  assert.match(error.message, /3 of 2, expected 3 vectors of 3 numbers/);
});

test("a vocabulary names its first line that is no new word and count", () => {
  for (const [content, line] of [
    ["a 1\na 2\n", 2],
    ["a one\n", 1],
  ] as const) {
    assert.match(throws(() => parseVocabulary(Buffer.from(content), "words"), "MODEL_INVALID").message, `line ${line}`);
  }
});
