import { suite } from "uvu";

const test = suite("good");
test("passes", () => {});
test.run();
