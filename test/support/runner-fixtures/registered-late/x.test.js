import { test } from "../../../../dist/test/support/test.js";

test("registers another", () => test("comes too late", () => {}));
