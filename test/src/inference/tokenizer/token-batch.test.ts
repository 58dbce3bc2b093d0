import { suite } from "uvu";
import * as assert from "uvu/assert";
import { padRows } from "../../../../src/inference/tokenizer/token-batch.js";

const test = suite("src/inference/tokenizer/token-batch");

test("rows are filled at their end up to the longest, and the mask says where", () => {
  const batch = padRows(
    [
      { ids: [7, 8, 9], typeIds: [0, 1, 1], truncated: false },
      { ids: [5], typeIds: [1], truncated: false },
    ],
    4,
  );
  assert.equal(batch, {
    rows: 2,
    tokens: 3,
    inputIds: BigInt64Array.of(7n, 8n, 9n, 5n, 4n, 4n),
    attentionMask: BigInt64Array.of(1n, 1n, 1n, 1n, 0n, 0n),
    tokenTypeIds: BigInt64Array.of(0n, 1n, 1n, 1n, 0n, 0n),
    lengths: [3, 1],
  });
});

test.run();
