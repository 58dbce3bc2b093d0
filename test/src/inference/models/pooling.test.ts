import { normalise, pool } from "../../../../src/inference/models/encoder-model.js";
import type { Pooling } from "../../../../src/documents/choices.js";
import { assert, test, throws } from "../../../support/test.js";

/** One row of three tokens in two columns. */
const hidden = { dims: [1, 3, 2], values: Float32Array.of(1, 1, 2, 2, 6, -9) };

const expected: readonly (readonly [Pooling, readonly number[]])[] = [
  ["mean", [3, -2]],
  ["max", [6, 2]],
  ["cls", [1, 1]],
  ["last_token", [6, -9]],
];

for (const [pooling, values] of expected) {
  test(`${pooling} reads the tokens of a text`, () => {
    assert.equal(pool(hidden, pooling), Float32Array.from(values));
  });
}

test("without pooling the output is the vector", () => {
  const values = Float32Array.of(1, 2);
  assert.equal(pool({ dims: [1, 2], values }, "none"), values);
});

test("an output whose shape does not fit the pooling is refused", () => {
  throws(() => pool({ dims: [1, 2], values: new Float32Array(2) }, "mean"), "MODEL_RUN_FAILED");
  throws(() => pool(hidden, "none"), "MODEL_RUN_FAILED");
});

test("a vector gets length 1, and zeros stay zeros", () => {
  assert.equal(normalise(Float32Array.of(3, 4)), Float32Array.of(0.6, 0.8));
  assert.equal(normalise(Float32Array.of(0, 0)), Float32Array.of(0, 0));
});
