import { suite } from "uvu";
import * as assert from "uvu/assert";
import { idRanksOf } from "../../../../src/retrieval/best-positions.js";
import { chooseEncoderWeight, type ScoredTwice } from "../../../../workbench/learning/fused/choose-encoder-weight.js";

const test = suite("workbench/learning/fused/choose-encoder-weight");

const idRanks = idRanksOf(["a", "b", "c", "d"]);

/** The right workflow is the first; each retriever has its own rival on half of the requests. */
const requests = (encoderScale: number): readonly ScoredTwice[] =>
  Array.from({ length: 40 }, (_, i) => {
    const encoder = i % 2 === 0 ? [0.6, 0.7, 0, 0.1] : [0.9, 0, 0.1, 0];
    const wordKernels = i % 2 === 0 ? [0.9, 0, 0, 0.1] : [0.6, 0, 0.7, 0.1];
    const scaled = Float64Array.from(encoder, (score) => 0.8 + encoderScale * score);
    return { encoder: scaled, wordKernels: Float64Array.from(wordKernels), idRanks, gold: 0 };
  });

test("two retrievers that err differently are better together, whatever the scale of the encoder", () => {
  for (const scale of [1, 0.01, 50]) {
    const { fused, encoder, wordKernels } = chooseEncoderWeight(requests(scale));
    assert.equal([fused.first, encoder.first, wordKernels.first], [1, 0.5, 0.5]);
    assert.ok(fused.encoderWeight > 0 && fused.encoderWeight < 1, String(fused.encoderWeight));
    assert.equal([encoder.encoderWeight, wordKernels.encoderWeight], [1, 0]);
  }
});

test("of equal weights the middle one is taken; scores without any spread choose nothing", () => {
  const same = requests(1).map((request) => ({ ...request, encoder: request.wordKernels }));
  assert.is(chooseEncoderWeight(same).fused.encoderWeight, 0.5);
  const flat = same.map((request) => ({
    ...request,
    encoder: new Float64Array(4),
    wordKernels: new Float64Array(4),
  }));
  assert.is(chooseEncoderWeight(flat).fused.encoderWeight, 0.5);
});

test("an encoder that ranks at random gets no weight", () => {
  const noise = requests(1).map((request, i) => ({
    ...request,
    encoder: Float64Array.from({ length: 4 }, (_, w) => (i * 7 + w * 5 + ((i * w) % 3)) % 4),
    wordKernels: Float64Array.from([0.31, 0.3, 0.3, 0.3]),
  }));
  const { fused, wordKernels } = chooseEncoderWeight(noise);
  assert.is(wordKernels.first, 1);
  assert.is(fused.first, 1);
});

test.run();
