import { suite } from "uvu";

const test = suite("no tests");
test.run();
