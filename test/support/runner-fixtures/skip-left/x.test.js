import { test } from "../../../../dist/test/support/test.js";

test("runs", () => {});
test.skip("is left out", () => {});
