import { usualThreads } from "../../../src/inference/usual-threads.js";
import { assert, test } from "../../support/test.js";

test("a server scores in two threads, in one on a machine with a single core", () => {
  assert.equal(
    [1, 2, 64].map((cores) => usualThreads(cores)),
    [1, 2, 2],
  );
  assert.ok(usualThreads() >= 1);
});
