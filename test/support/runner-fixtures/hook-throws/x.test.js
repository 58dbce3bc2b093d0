import { test } from "../../../../dist/test/support/test.js";

test.before(() => {
  throw new Error("set-up failed");
});
test("never runs", () => {});
