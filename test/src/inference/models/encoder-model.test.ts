import { createWorkerModel } from "../../../../src/inference/models/create-worker-model.js";
import type { WorkerModel } from "../../../../src/inference/models/worker-model.js";
import { constantBytes, type Graph, onnxModel } from "../../../../src/inference/onnx-graph.js";
import type { Job } from "../../../../src/inference/protocol.js";
import { assert, rejects, test } from "../../../support/test.js";
import { bertTokenizer } from "../../../support/tokenizer-files.js";
import {
  type EncoderSpec,
  inside,
  lookupGraph,
  matricesOf,
  outcomesOf,
  rowsOf,
  runAlone,
  tableConstant,
  textsInput,
  textsJob,
} from "../../../support/transformers.js";
import { toFloat16 } from "../../../support/to-float16.js";
import { requireRows } from "../../../../src/inference/require-rows.js";

/** [PAD] [UNK] [CLS] [SEP] [MASK] a b bad; the file's tokenizer also knows "far", whose id has no vector. */
const words = ["a", "b", "bad", "far"];
const table = tableConstant([
  [1e9, 1e9],
  [7, 7],
  [0, 3],
  [0, 0],
  [0, 0],
  [3, 0],
  [0, 9],
  [Number.NaN, 0],
]);

const spec: EncoderSpec = {
  kind: "encoder",
  graph: inside(lookupGraph(table)),
  tokenizer: bertTokenizer(words),
  maxTokens: 16,
  output: "last_hidden_state",
  pooling: "mean",
  normalise: false,
};

async function withModel(overrides: Partial<EncoderSpec>, body: (model: WorkerModel) => Promise<void>): Promise<void> {
  const model = await createWorkerModel({ ...spec, ...overrides });
  try {
    await body(model);
  } finally {
    await model.release();
  }
}

const vectorsOf = async (model: WorkerModel, ...texts: readonly string[]) =>
  rowsOf(await runAlone(model, textsInput(texts)));

test("texts become the mean of their token vectors, filling left out", () =>
  withModel({}, async (model) => {
    assert.equal(await vectorsOf(model, "a", "a a b b"), [
      [1, 1],
      [1, 3.5],
    ]);
  }));

test("poolings read first, largest or last tokens", async () => {
  await withModel({ pooling: "cls" }, async (model) => assert.equal(await vectorsOf(model, "a"), [[0, 3]]));
  await withModel({ pooling: "max" }, async (model) =>
    assert.equal(await vectorsOf(model, "b", "a a a"), [
      [0, 9],
      [3, 3],
    ]),
  );
  await withModel({ pooling: "last_token" }, async (model) => assert.equal(await vectorsOf(model, "a"), [[0, 0]]));
});

test("vectors are scaled to length 1 when the model says so", () =>
  withModel({ normalise: true }, async (model) => {
    const [vector = []] = await vectorsOf(model, "a");
    assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-7);
  }));

test("a graph that pools by itself is used with pooling none", async () => {
  const pooled: Graph = {
    ...lookupGraph(table),
    outputs: [{ name: "embedding", type: "float32", dimensions: ["batch", 2] }],
    nodes: [
      { operator: "Gather", inputs: ["table", "input_ids"], outputs: ["vectors"] },
      {
        operator: "ReduceMax",
        inputs: ["vectors"],
        outputs: ["embedding"],
        attributes: [
          { name: "axes", ints: [1] },
          { name: "keepdims", int: 0 },
        ],
      },
    ],
  };
  const overrides = { graph: inside(pooled), output: "embedding", pooling: "none" } as const;
  await withModel(overrides, async (model) => assert.equal(await vectorsOf(model, "a"), [[3, 3]]));
});

test("a float16 graph gives the numbers of its float32 form", async () => {
  const half = { ...table, values: toFloat16(Float32Array.from(table.values, Number)) };
  await withModel({ graph: inside(lookupGraph(half)) }, async (model) => {
    assert.equal(await vectorsOf(model, "a", "a a b b"), [
      [1, 1],
      [1, 3.5],
    ]);
  });
});

test("weights may be in a file next to the graph, and only there", async () => {
  const outside = onnxModel(lookupGraph({ ...table, file: "model.onnx_data" }));
  const externalData = [{ path: "model.onnx_data", bytes: constantBytes(table.values) }];
  await withModel({ graph: { bytes: outside, externalData } }, async (model) => {
    assert.equal(await vectorsOf(model, "a"), [[1, 1]]);
  });
  await rejects(createWorkerModel({ ...spec, graph: { bytes: outside, externalData: [] } }), "MODEL_INVALID");
});

test("a longer text is cut to the model's tokens and reported", () =>
  withModel({ maxTokens: 4 }, async (model) => {
    const [outcome] = await outcomesOf(model, [textsJob(1, ["a a a a b", "a a"])]);
    assert.ok(outcome !== undefined && "output" in outcome);
    assert.is(requireRows(outcome.output).truncatedRows, 1);
    assert.equal(rowsOf(requireRows(outcome.output).matrix), [
      [1.5, 0.75],
      [1.5, 0.75],
    ]);
  }));

test("jobs of one message get the vectors that each gets alone", () =>
  withModel({}, async (model) => {
    const texts = [["a"], ["b", "a b a b a b a b"], ["a b"], ["b b b"]];
    const shared = await matricesOf(
      model,
      texts.map((own, id) => textsJob(id, own)),
    );
    for (const [id, own] of texts.entries()) {
      assert.equal(shared.get(id), await runAlone(model, textsInput(own)));
    }
  }));

test("a row that ONNX Runtime refuses, or that is not finite, fails its own job only", () =>
  withModel({}, async (model) => {
    const jobs = [textsJob(1, ["a"]), textsJob(2, ["far"]), textsJob(3, ["bad"]), textsJob(4, ["b"])];
    const outcomes = await outcomesOf(model, jobs);
    const failed = outcomes.flatMap((outcome) => ("error" in outcome ? [[outcome.id, outcome.error.code]] : []));
    assert.equal(failed, [
      [2, "MODEL_RUN_FAILED"],
      [3, "MODEL_RUN_FAILED"],
    ]);
    assert.is(outcomes.length, 4);
    assert.equal(await vectorsOf(model, "a"), [[1, 1]]);
  }));

test("pairs are no input of an encoder", () =>
  withModel({}, async (model) => {
    const pairs: Job = { id: 1, model: 0, input: { kind: "pairs", text: "a", documents: [0] } };
    const outcomes = await outcomesOf(model, [pairs, textsJob(2, ["a"])]);
    assert.equal(
      outcomes.map((outcome) => [outcome.id, "error" in outcome]),
      [
        [1, true],
        [2, false],
      ],
    );
  }));
