import { suite } from "uvu";

const test = suite("a hook throws");
test.before(() => {
  throw new Error("set-up failed");
});
test("never runs", () => {});
test.run();
