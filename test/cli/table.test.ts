import { fields, table } from "../../cli/table.js";
import { shellLine } from "../../src/base/invocation.js";
import { assert, test } from "../support/test.js";

test("texts are aligned to the left, numbers to the right", () => {
  const rows = [
    ["a", "1,000"],
    ["bcd", "7"],
  ];
  assert.equal(table(rows, ["name", "n"]), ["name      n", "a     1,000", "bcd       7"]);
});

test("an empty table is its heading, or nothing", () => {
  assert.equal(table([], ["name"]), ["name"]);
  assert.equal(table([]), []);
});

test("values of fields are aligned, without trailing spaces", () => {
  assert.equal(
    fields([
      ["a", "1"],
      ["long", ""],
    ]),
    ["a     1", "long"],
  );
});

test("words that a shell would change are quoted", () => {
  assert.is(shellLine(["sluice", "route", "it's late"]), "sluice route 'it'\\''s late'");
  assert.is(shellLine(["a/b.c", "--x=1,2", ""]), "a/b.c --x=1,2 ''");
});
