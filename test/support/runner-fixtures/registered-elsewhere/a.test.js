import { test } from "./suite.js";

test("passes", () => {});
