import { SharedRows } from "../../../../src/inference/shared-rows.js";
import { meansOf, NearCosines } from "../../../../src/router/retrieval/near-cosines.js";
import { assert, test } from "../../../support/test.js";

const workflows = 400;
const textsOfEach = 3;
const columns = 8;

/** Texts of one workflow point in similar directions. */
const vectors = SharedRows.ofSize(workflows * textsOfEach, columns);
for (let text = 0; text < vectors.rows; text += 1) {
  const workflow = Math.floor(text / textsOfEach);
  const row = vectors.row(text);
  for (let d = 0; d < columns; d += 1) row[d] = Math.sin((workflow + 1) * (d + 1)) + 0.1 * Math.cos(text * (d + 2));
}
const starts = Int32Array.from({ length: workflows + 1 }, (_, workflow) => workflow * textsOfEach);

test("texts of near workflows have their own product, others the mean of their workflow", () => {
  const cosines = new NearCosines(vectors, meansOf(vectors, starts), starts);
  const vector = vectors.row(30).slice();
  const found = vectors.memory.float32(vectors.rows);
  cosines.write(vector, found);
  const exact = new Float32Array(vectors.rows);
  vectors.products(vector, 0, vectors.rows, exact);
  const means = Array.from({ length: workflows }, (_, workflow) =>
    exact.subarray(starts[workflow], starts[workflow + 1]).reduce((sum, value) => sum + value / textsOfEach, 0),
  );
  const near = new Set([...means.keys()].sort((a, b) => (means[b] ?? 0) - (means[a] ?? 0)).slice(0, 256));
  assert.ok(near.has(10));
  for (const [text, value] of found.entries()) {
    const workflow = Math.floor(text / textsOfEach);
    const expected = (near.has(workflow) ? exact[text] : means[workflow]) ?? Number.NaN;
    assert.ok(Math.abs(value - expected) < 1e-5, `text ${text}`);
  }
});
