import { testWith } from "../../../../dist/test/support/test.js";

export const test = testWith();
