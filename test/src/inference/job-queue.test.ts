import { unbounded } from "../../../src/documents/run-scope.js";
import { AbortWatch, Call } from "../../../src/inference/call.js";
import { JobQueue, messageLimit } from "../../../src/inference/pool.js";
import type { JobInput } from "../../../src/inference/protocol.js";
import { assert, test } from "../../support/test.js";
import { column } from "../../support/pools.js";

const aborts = new AbortWatch();
const oneRow: JobInput = { kind: "matrix", matrix: column(1) };
const rows = (count: number): JobInput => ({ kind: "matrix", matrix: column(...new Float32Array(count)) });
const texts = (...lengths: readonly number[]): JobInput => {
  return { kind: "texts", texts: lengths.map((length) => "x".repeat(length)) };
};

interface CallSettings {
  readonly remainingMs?: () => number;
  readonly abandoned?: (code: string) => void;
}

function call(id: number, input: JobInput = oneRow, { remainingMs, abandoned }: CallSettings = {}): Call {
  const ignore = (): void => undefined;
  return new Call({
    job: { id, model: 1, input },
    scope: { ...unbounded, remainingMs: remainingMs ?? unbounded.remainingMs },
    leftMs: Number.POSITIVE_INFINITY,
    aborts,
    resolve: ignore,
    reject: ignore,
    onAbandoned: (_, { code }) => abandoned?.(code),
  });
}

function queueOf(calls: readonly Call[]): JobQueue {
  const queue = new JobQueue();
  for (const one of calls) queue.add(one);
  return queue;
}

const ids = (calls: readonly Call[]): readonly number[] => calls.map(({ job }) => job.id);

test("a message takes the oldest calls, an even share for each idle thread", () => {
  const queue = queueOf([1, 2, 3, 4, 5].map((id) => call(id)));
  assert.equal(ids(queue.take(2)), [1, 2, 3]);
  assert.equal(ids(queue.take(1)), [4, 5]);
  assert.equal(ids(queue.take(1)), []);
});

test("a message is bounded in rows and characters", () => {
  const half = messageLimit.rows / 2;
  const byRows = queueOf([call(1, rows(half)), call(2, rows(half)), call(3)]);
  assert.equal(ids(byRows.take(1)), [1, 2]);
  assert.equal(ids(byRows.take(1)), [3]);

  const characters = messageLimit.characters / 2;
  const byText = queueOf([call(1, texts(characters)), call(2, texts(characters - 1, 1)), call(3, texts(1))]);
  assert.equal(ids(byText.take(1)), [1, 2]);
  assert.equal(ids(byText.take(1)), [3]);

  const pairs: JobInput = { kind: "pairs", text: "x".repeat(characters), documents: [0, 1] };
  const byPairs = queueOf([call(1, pairs), call(2, pairs)]);
  assert.equal(ids(byPairs.take(1)), [1]);
});

test("a job that is larger than a message travels alone", () => {
  const queue = queueOf([call(1), call(2, rows(1000)), call(3)]);
  assert.equal(
    [1, 2, 3].map(() => ids(queue.take(1))),
    [[1], [2], [3]],
  );
});

test("a call whose thread exited is retried first and alone", () => {
  const queue = queueOf([call(1), call(2)]);
  const lost = [call(3), call(4)];
  for (const one of lost) one.lostThreads = 1;
  queue.putBack(lost);
  assert.equal(
    [1, 2, 3, 4].map(() => ids(queue.take(1))),
    [[3], [4], [1, 2], []],
  );
});

test("a call past its deadline is answered rather than run, although its timer has not fired", () => {
  const codes: string[] = [];
  const late = call(1, oneRow, { remainingMs: () => 0, abandoned: (code) => codes.push(code) });
  const queue = queueOf([late, call(2)]);
  assert.equal(ids(queue.take(1)), [2]);
  assert.equal(codes, ["DEADLINE_EXCEEDED"]);
  assert.is(queue.size, 0);
});
