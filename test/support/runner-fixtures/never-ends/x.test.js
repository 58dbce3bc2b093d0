import { suite } from "uvu";

const test = suite("a test waits forever");
test("waits", () => new Promise(() => {}));
test.run();
