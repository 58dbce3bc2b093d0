import { test } from "../../../../../dist/test/support/test.js";

test("passes", () => {});
