import { scoreTable, tableOf } from "../../../eval/stats/roc.js";
import { assert, test, throws } from "../../support/test.js";

test("equal scores make one line, negative zero equals zero", () => {
  const table = scoreTable([0, 0.5, -0, 0.5, 0.9], [true, false, false, true, 1]);
  assert.equal([...table.scores], [0.9, 0.5, 0]);
  assert.equal([...table.rows], [1, 2, 2]);
  assert.equal([...table.events], [1, 1, 1]);
  assert.equal([table.totalRows, table.totalEvents], [5, 3]);
});

test("totals are summed from the columns", () => {
  const table = tableOf(Float64Array.of(2, 1), Float64Array.of(3, 0), Float64Array.of(1, 0));
  assert.equal([table.totalRows, table.totalEvents], [3, 1]);
});

for (const score of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
  test(`a score of ${score} is refused`, () => {
    throws(() => scoreTable([0.5, score], [1, 0]), "ARGUMENT_INVALID");
  });
}
