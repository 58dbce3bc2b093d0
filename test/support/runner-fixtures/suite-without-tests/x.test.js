import { test, testWith } from "../../../../dist/test/support/test.js";

test("passes", () => {});
testWith("with another context");
