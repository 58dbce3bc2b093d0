import { suite } from "uvu";

const test = suite("only left in");
test.only("runs alone", () => {});
test("is left out", () => {});
test.run();
