import { messageLimit } from "../../../src/inference/pool.js";
import { assert, rejects, test } from "../../support/test.js";
import { loadGraph, runMatrix } from "../../support/inference.js";
import { column, double, doubling, loadStall, turn, watchingThreads, withPool } from "../../support/pools.js";

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

test("calls of one turn of the event loop travel in one message", () =>
  withPool({}, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    assert.equal(
      await Promise.all(upTo(10).map((value) => double(twice, value))),
      upTo(10).map((value) => 2 * value),
    );
    assert.is(pool.statistics().messages, 1);
    assert.is(pool.statistics().finished, 10);
  }));

test("jobs that come one by one while the thread is busy travel together when it is free", () =>
  withPool({}, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    const stall = await loadStall(pool, 250);
    const before = pool.statistics().messages;
    const stalled = stall();
    const answers: Promise<number>[] = [];
    for (const value of upTo(10)) {
      await turn();
      answers.push(double(twice, value));
    }
    await turn();
    const { waiting, underWay } = pool.statistics();
    assert.equal({ waiting, underWay }, { waiting: 10, underWay: 1 });
    await stalled;
    assert.equal(
      await Promise.all(answers),
      upTo(10).map((value) => 2 * value),
    );
    assert.is(pool.statistics().messages - before, 2);
  }));

test("idle threads get even shares of what waits, and no message is larger than its limit", () =>
  watchingThreads((threads) =>
    withPool({ workers: 2, queueLimit: 1000 }, async (pool) => {
      const twice = await loadGraph(pool, doubling);
      await Promise.all(upTo(11).map((value) => double(twice, value)));
      assert.equal(
        threads.messages.map(({ thread, jobs }) => [threads.created.indexOf(thread), jobs]),
        [
          [0, 6],
          [1, 5],
        ],
      );
      await Promise.all(upTo(400).map(() => runMatrix(twice, column(1, 2, 3))));
      const sizes = threads.messages.slice(2).map(({ jobs }) => jobs);
      assert.is(
        sizes.reduce((sum, jobs) => sum + jobs, 0),
        400,
      );
      assert.equal(sizes.slice(0, 2), [21, 21], `${messageLimit.rows} rows hold 21 jobs of 3 rows`);
      assert.ok(Math.max(...sizes) <= 21);
    }),
  ));

test("the queue limit counts what waits and what is under way; one more is refused at once", () =>
  withPool({ queueLimit: 3 }, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    const stall = await loadStall(pool, 250);
    const accepted = [stall().then(() => 0), double(twice, 1), double(twice, 2)];
    await turn();
    let isStalled = true;
    void accepted[0]?.then(() => {
      isStalled = false;
    });
    const error = await rejects(double(twice, 3), "SERVER_OVERLOADED");
    assert.ok(isStalled, "the refusal does not wait for the run");
    assert.match(error.message, /3 runs are waiting or in progress, at most 3 are allowed/);
    assert.equal(await Promise.all(accepted), [0, 2, 4]);
    assert.is(await double(twice, 3), 6);
    assert.is(pool.statistics().refused, 1);
  }));
