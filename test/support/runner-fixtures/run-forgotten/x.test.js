import { suite } from "uvu";

const test = suite("run forgotten");
test("never runs", () => {});
