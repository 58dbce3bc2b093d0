import { groupBy } from "../../../src/base/group-by.js";
import { assert, test } from "../../support/test.js";

test("groups keep the order of the items, keys the order of first appearance", () => {
  const groups = groupBy(["pear", "apple", "plum", "fig", "avocado"], (word) => word[0]);
  assert.equal(
    [...groups],
    [
      ["p", ["pear", "plum"]],
      ["a", ["apple", "avocado"]],
      ["f", ["fig"]],
    ],
  );
});

test("keys are compared as a map compares them: null and 0 are keys", () => {
  const groups = groupBy([0, null, 0], (key) => key);
  assert.equal([...groups.keys()], [0, null]);
  assert.equal(groups.get(0), [0, 0]);
});

test("nothing has no groups", () => assert.is(groupBy([], String).size, 0));
