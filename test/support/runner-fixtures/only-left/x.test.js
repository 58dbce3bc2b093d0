import { test } from "../../../../dist/test/support/test.js";

test.only("runs alone", () => {});
test("is left out", () => {});
