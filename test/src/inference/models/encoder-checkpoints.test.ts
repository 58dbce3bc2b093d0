/** The encoder with a real BERT graph against vectors that another framework computed in float64. */
import { readFileSync } from "node:fs";
import { createWorkerModel } from "../../../../src/inference/models/create-worker-model.js";
import { normalise, pool } from "../../../../src/inference/models/encoder-model.js";
import { TransformerSession } from "../../../../src/inference/models/transformer-session.js";
import type { WorkerModel } from "../../../../src/inference/models/worker-model.js";
import { TextTokenizer } from "../../../../src/inference/tokenizer/text-tokenizer.js";
import { assert, shared, test, testWithShared } from "../../../support/test.js";
import {
  largestDifference,
  matricesOf,
  rowsOf,
  runAlone,
  textsInput,
  textsJob,
  tinyBert,
} from "../../../support/transformers.js";

interface Reference {
  readonly text: string;
  readonly embedding: readonly number[];
}
interface PairReference extends Reference {
  readonly text_pair: string;
}

const readReferences = () =>
  JSON.parse(readFileSync(shared("models/tiny-bert-retriever/reference-outputs.json"), "utf8")) as {
    readonly texts: readonly Reference[];
    readonly pairs: readonly PairReference[];
  };

/** Without the text that forges a separator: its reference reads the forgery as one. */
const honest = () => readReferences().texts.filter(({ text }) => !text.includes("[SEP]"));

/** Signed int8 weights saturate sums of 16 bits on processors without VNNI: up to 8.6e-3 was seen on one with AVX2 only. */
const checkpoints = [
  ["model.onnx", 1e-5],
  ["model_quantized.onnx", 1e-2],
] as const;

async function withModel(graph: "model.onnx" | "model_quantized.onnx", body: (model: WorkerModel) => Promise<void>) {
  const model = await createWorkerModel(tinyBert(graph));
  try {
    await body(model);
  } finally {
    await model.release();
  }
}

function assertClose(found: readonly number[], expected: Reference, tolerance: number): void {
  const difference = largestDifference(found, expected.embedding);
  assert.ok(difference <= tolerance, `${JSON.stringify(expected.text)}: ${difference} > ${tolerance}`);
}

for (const [graph, tolerance] of checkpoints) {
  testWithShared(test, `${graph}: texts alone`, () =>
    withModel(graph, async (model) => {
      for (const reference of honest()) {
        const [found = []] = rowsOf(await runAlone(model, textsInput([reference.text])));
        assertClose(found, reference, tolerance);
      }
    }),
  );

  testWithShared(test, `${graph}: all texts in one job, in any order`, () =>
    withModel(graph, async (model) => {
      const ascending = honest();
      for (const references of [ascending, ascending.toReversed(), [...ascending, ...ascending.slice(3, 9)]]) {
        const texts = references.map(({ text }) => text);
        const found = rowsOf(await runAlone(model, textsInput(texts)));
        for (const [row, reference] of references.entries()) assertClose(found[row] ?? [], reference, tolerance);
      }
    }),
  );

  testWithShared(test, `${graph}: jobs of any size`, () =>
    withModel(graph, async (model) => {
      const references = honest();
      for (const size of [1, 2, 3, 7]) {
        const parts = Array.from({ length: Math.ceil(references.length / size) }, (_, part) =>
          references.slice(part * size, (part + 1) * size),
        );
        const jobs = parts.map((part, id) =>
          textsJob(
            id,
            part.map(({ text }) => text),
          ),
        );
        const outputs = await matricesOf(model, jobs);
        for (const [id, part] of parts.entries()) {
          const matrix = outputs.get(id);
          assert.ok(matrix !== undefined);
          const found = rowsOf(matrix);
          for (const [row, reference] of part.entries()) assertClose(found[row] ?? [], reference, tolerance);
        }
      }
    }),
  );

  testWithShared(test, `${graph}: texts, and pairs with token types`, async () => {
    const spec = tinyBert(graph);
    const tokenizer = new TextTokenizer(spec.tokenizer);
    const session = await TransformerSession.open(spec);
    const { pairs } = readReferences();
    const singles = honest().map((reference) => ({ reference, row: tokenizer.encodeText(reference.text, 128) }));
    const doubles = pairs.map((reference) => {
      const [text, document] = [reference.text, reference.text_pair].map((part) => tokenizer.segment(part));
      return { reference, row: tokenizer.encodePair(text ?? [], document ?? [], 128) };
    });
    for (const { reference, row } of [...singles, ...doubles]) {
      assertClose([...normalise(pool(await session.run(row), "mean"))], reference, tolerance);
    }
    await session.release();
  });
}
