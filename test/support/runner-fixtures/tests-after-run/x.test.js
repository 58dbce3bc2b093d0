import { suite } from "uvu";

const test = suite("tests after run");
test("runs", () => {});
test.run();
test("comes too late", () => {});
