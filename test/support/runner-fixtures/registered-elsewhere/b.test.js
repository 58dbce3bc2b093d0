import { test } from "./suite.js";

test("belongs to the suite of another file", () => {});
