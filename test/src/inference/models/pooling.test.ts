import { suite } from "uvu";
import * as assert from "uvu/assert";
import { normaliseRows, pool } from "../../../../src/inference/models/pooling.js";
import type { Pooling } from "../../../../src/inference/protocol.js";
import { throws } from "../../../support/rejects.js";

const test = suite("src/inference/models/pooling");

/** Two rows of up to three tokens in two columns; the filling of the first row would spoil every pooling. */
const hidden = {
  dims: [2, 3, 2],
  values: Float32Array.of(1, -2, 3, -4, Number.NaN, 1e30, 1, 1, 2, 2, 6, -9),
};
const lengths = [2, 3];

const expected: readonly (readonly [Pooling, readonly number[]])[] = [
  ["mean", [2, -3, 3, -2]],
  ["max", [3, -2, 6, 2]],
  ["cls", [1, -2, 1, 1]],
  ["last_token", [3, -4, 6, -9]],
];

for (const [pooling, values] of expected) {
  test(`${pooling} reads the tokens of a row and never its filling`, () => {
    assert.equal(pool(hidden, lengths, pooling), { rows: 2, columns: 2, values: Float32Array.from(values) });
  });
}

test("without pooling the output is the vectors", () => {
  const values = Float32Array.of(1, 2, 3, 4);
  assert.equal(pool({ dims: [2, 2], values }, lengths, "none"), { rows: 2, columns: 2, values });
});

test("an output whose shape does not fit the pooling is refused", () => {
  throws(() => pool({ dims: [2, 2], values: new Float32Array(4) }, lengths, "mean"), "MODEL_RUN_FAILED");
  throws(() => pool(hidden, lengths, "none"), "MODEL_RUN_FAILED");
});

test("rows get length 1, and zeros stay zeros", () => {
  const matrix = { rows: 3, columns: 2, values: Float32Array.of(3, 4, 0, 0, 1e30, 0) };
  normaliseRows(matrix);
  assert.equal(matrix.values, Float32Array.of(0.6, 0.8, 0, 0, 1, 0));
});

test.run();
