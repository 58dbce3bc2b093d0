import { suite } from "uvu";
import * as assert from "uvu/assert";
import { onnxModel } from "../../../../src/inference/onnx-graph.js";
import { loadWordVectors } from "../../../../src/retrieval/words/load-word-vectors.js";
import { vectorsGraph } from "../../../../workbench/fit/words/vectors-graph.js";
import { vocabularyBytes } from "../../../../src/retrieval/words/vocabulary.js";
import { withPool } from "../../../support/pools.js";
import { rejects } from "../../../support/rejects.js";

const test = suite("src/retrieval/words/load-word-vectors");

const values = Float32Array.of(1, -0.5, 0.25, 0, 0, 0, 300, 12, -7);
const vocabulary = vocabularyBytes({ lemmas: ["card", "lost", "café"], counts: [6, 3, 1] });
const graph = onnxModel(vectorsGraph(values, 3));

test("vectors come back from the int8 graph to within half a step of their row", () =>
  withPool({}, async (pool) => {
    const vectors = await loadWordVectors({ graph, vocabulary, dimensions: 3 }, pool);
    assert.is(vectors.size, 3);
    assert.equal(
      ["card", "lost", "café", "unknown"].map((lemma) => vectors.rowOf(lemma)),
      [0, 1, 2, -1],
    );
    assert.equal(
      Array.from(vectors.frequency, (f) => Math.round(f * 10)),
      [6, 3, 1],
    );
    for (const [index, value] of values.entries()) {
      const step = [1, 0, 300][Math.floor(index / 3)] ?? 0;
      assert.ok(Math.abs((vectors.rows[index] ?? Number.NaN) - value) <= step / 253, `value ${index}`);
    }
  }));

test("a vocabulary of another fit is refused", () =>
  withPool({}, async (pool) => {
    const other = vocabularyBytes({ lemmas: ["card", "lost"], counts: [6, 3] });
    await rejects(loadWordVectors({ graph, vocabulary: other, dimensions: 4 }, pool), "MODEL_INVALID");
    const twice = Buffer.from("card 6\ncard 3\nlost 1\n");
    await rejects(loadWordVectors({ graph, vocabulary: twice, dimensions: 3 }, pool), "MODEL_INVALID");
  }));

test.run();
