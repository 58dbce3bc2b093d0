import { editDistance, suggest } from "../../../src/base/suggest.js";
import { assert, test } from "../../support/test.js";

test("the distance counts insertions, deletions and replacements", () => {
  const distances: readonly (readonly [string, string, number])[] = [
    ["", "", 0],
    ["", "abc", 3],
    ["seed", "sede", 2],
    ["kitten", "sitting", 3],
    ["same", "same", 0],
  ];
  for (const [a, b, distance] of distances) {
    assert.is(editDistance(a, b), distance, `${a} ${b}`);
    assert.is(editDistance(b, a), distance, `${b} ${a}`);
  }
});

test("the nearest known word is suggested", () => {
  assert.is(suggest("chek", ["show", "check", "diff"]), "check");
  assert.is(suggest("rnu", ["run"]), "run");
});

test("nothing is suggested when no word is near", () => {
  assert.is(suggest("zzzzzz", ["show", "check"]), null);
  assert.is(suggest("a", []), null);
  assert.is(suggest("x", ["ui", "key"]), null);
  assert.is(suggest("deploy", ["reject", "report", "key"]), null);
  assert.is(suggest("fit", ["init", "list"]), null);
});
