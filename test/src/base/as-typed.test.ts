import { asTyped } from "../../../src/base/as-typed.js";
import { assert, test } from "../../support/test.js";

const throughNpm = { npm_command: "exec" };

test("whoever came through npx gets lines with npx", () => {
  const hint = "Create one with: sluice quickstart, or sluice dataset import FILE";
  assert.is(asTyped(hint, throughNpm), "Create one with: npx sluice quickstart, or npx sluice dataset import FILE");
  assert.is(asTyped("Try: sluice-serve --help", throughNpm), "Try: npx sluice-serve --help");
  assert.is(asTyped("npx sluice doctor", throughNpm), "npx sluice doctor");
});

test("whoever has the program on the path gets the line as it is", () => {
  assert.is(asTyped("Run: sluice doctor", {}), "Run: sluice doctor");
});

test("names that are no command lines stay", () => {
  for (const text of ["sluice-workspace/history.db", "a Sluice history", "import sluice/serve", "@org/sluice run"]) {
    assert.is(asTyped(text, throughNpm), text);
  }
});
