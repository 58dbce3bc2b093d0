import { AnswersTogether } from "../../../src/inference/serve-thread.js";
import type { FromWorker } from "../../../src/inference/protocol.js";
import { assert, test } from "../../support/test.js";

/** Ids in each message for answers that came at these times. */
function messagesAt(times: readonly number[]): readonly (readonly number[])[] {
  let now = 0;
  const messages: (readonly number[])[] = [];
  const reply = (message: FromWorker): void => {
    if (message.kind === "answered") messages.push(message.answers.map(({ id }) => id));
  };
  const answers = new AnswersTogether(reply, () => now);
  for (const [id, time] of times.entries()) {
    now = time;
    answers.add({
      id,
      output: { kind: "rows", matrix: { rows: 0, columns: 0, values: new Float32Array() }, truncatedRows: 0 },
    });
  }
  answers.send();
  return messages;
}

test("answers of short runs travel together, those of long runs one by one", () => {
  assert.equal(messagesAt([0.05, 0.1, 0.2]), [[0, 1, 2]]);
  assert.equal(messagesAt([2, 4, 6]), [[0], [1], [2]]);
});

test("an answer waits for half a millisecond of further runs at most", () => {
  assert.equal(messagesAt([0.3, 0.6, 0.9, 1.2]), [
    [0, 1],
    [2, 3],
  ]);
});

test("nothing is sent where nothing waits", () => {
  assert.equal(messagesAt([]), []);
  assert.equal(messagesAt([1]), [[0]]);
});
