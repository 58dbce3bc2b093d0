import { assert, test } from "../../support/test.js";
import { type Editor, editLoop, falseLoops } from "./edit-loop.js";
import { allowedViolations } from "./run-worlds.js";

const repetitions = 30;
const falseIn = (editor: Editor, remembers: boolean): number =>
  falseLoops(
    Array.from({ length: repetitions }, (_, seed) =>
      editLoop({ workflows: 12, requests: 15, rounds: 4, editor, seed, remembers }),
    ),
  );

for (const editor of ["cure", "delete"] as const) {
  test(`an owner who reads wrong routes and ${editor === "cure" ? "cures" : "deletes"} them signs nothing false, because they were seen`, () => {
    const wrong = falseIn(editor, true);
    assert.ok(wrong <= allowedViolations(repetitions), `${wrong} of ${repetitions}`);
    const forgetful = falseIn(editor, false);
    assert.ok(forgetful > repetitions / 2, `without the memory ${forgetful} of ${repetitions}`);
  });
}
