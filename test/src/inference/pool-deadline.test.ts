import { getEventListeners } from "node:events";
import { type RunScope, unbounded, within } from "../../../src/documents/run-scope.js";
import type { InferencePool } from "../../../src/inference/pool.js";
import { assert, rejects, test } from "../../support/test.js";
import { loadGraph } from "../../support/inference.js";
import { double, doubling, loadStall, turn, withPool } from "../../support/pools.js";

const now = (): number => performance.now();
const deadline = (milliseconds: number): RunScope => within(milliseconds, { now }, null);
const cancellable = (signal: AbortSignal): RunScope => ({ ...unbounded, signal });
const codeOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => "answered",
    (error: { readonly code: string }) => error.code,
  );

/** What `body` adds to the counts of a pool. */
async function counted(pool: InferencePool, body: () => Promise<void>) {
  const before = pool.statistics();
  await body();
  const after = pool.statistics();
  const names = ["messages", "expired", "cancelled", "late"] as const;
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]]));
}

test("a call whose deadline has passed is refused at once and never sent", () =>
  withPool({}, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    const counts = await counted(pool, async () => {
      await rejects(double(twice, 1, deadline(0)), "DEADLINE_EXCEEDED");
      await rejects(double(twice, 1, deadline(-5)), "DEADLINE_EXCEEDED");
    });
    assert.equal(counts, { messages: 0, expired: 2, cancelled: 0, late: 0 });
  }));

test("a waiting job is answered at its deadline and never sent", () =>
  withPool({}, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    const stall = await loadStall(pool, 400);
    const counts = await counted(pool, async () => {
      const stalled = stall();
      await turn();
      await rejects(double(twice, 1, deadline(20)), "DEADLINE_EXCEEDED");
      assert.is(pool.statistics().underWay, 1, "the stall goes on");
      await stalled;
      await turn();
    });
    assert.equal(counts, { messages: 1, expired: 1, cancelled: 0, late: 0 });
  }));

test("during a 3 s stall every caller is answered at the deadline, readiness reports it, and the thread recovers", () =>
  withPool({ stuckAfterMs: 1000 }, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    const stall = await loadStall(pool, 3000);
    assert.equal(pool.problems(), []);
    const started = now();
    const codes = [codeOf(stall(deadline(100))), codeOf(double(twice, 1, deadline(100)))];
    const afterwards = double(twice, 21);
    await turn();
    assert.equal(await Promise.all(codes), ["DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED"]);
    const took = now() - started;
    assert.ok(took < 900, `answered after ${took.toFixed(0)} ms`);
    assert.is(pool.statistics().underWay, 1, "the run goes on");
    assert.equal(pool.problems(), []);
    await rejects(double(twice, 1, deadline(1200)), "DEADLINE_EXCEEDED");
    assert.match(pool.problems().join(), /^inference thread 1 has been busy without an answer for more than 1000 ms$/);

    assert.is(await afterwards, 42, "the waiting job without a deadline is answered when the run has ended");
    assert.ok(now() - started > 1500, "the stall was long");
    assert.equal(pool.problems(), []);
    assert.is(pool.statistics().late, 1);
    assert.is(pool.statistics().restarts, 0);
  }));

test("one stalled thread holds up neither the other one nor readiness", () =>
  withPool({ workers: 2, stuckAfterMs: 1000 }, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    const stall = await loadStall(pool, 2500);
    const stalled = codeOf(stall(deadline(1200)));
    await turn();
    assert.is(await double(twice, 1), 2);
    assert.is(await stalled, "DEADLINE_EXCEEDED");
    assert.is(await double(twice, 2), 4);
    assert.is(pool.statistics().underWay, 1, "the stall goes on");
    assert.equal(pool.problems(), []);
  }));

test("a deadline beyond the range of timers does not fire at once", () =>
  withPool({}, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    const stall = await loadStall(pool, 50);
    const run = stall({ ...unbounded, remainingMs: () => 2 ** 31 + 5 });
    assert.is(await double(twice, 4, { ...unbounded, remainingMs: () => Number.MAX_VALUE }), 8);
    await run;
  }));

test("a call that is cancelled already is refused at once", () =>
  withPool({}, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    const counts = await counted(pool, async () => {
      await rejects(double(twice, 1, cancellable(AbortSignal.abort())), "REQUEST_CANCELLED");
    });
    assert.equal(counts, { messages: 0, expired: 0, cancelled: 1, late: 0 });
  }));

test("cancelling answers at once, takes a waiting job out of the queue and drops the result of a running one", () =>
  withPool({}, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    const stall = await loadStall(pool, 300);
    const [leaves, stays] = [new AbortController(), new AbortController()];
    const counts = await counted(pool, async () => {
      const running = codeOf(stall(cancellable(leaves.signal)));
      await turn();
      const waiting = codeOf(double(twice, 1, cancellable(leaves.signal)));
      const other = double(twice, 2, cancellable(stays.signal));
      leaves.abort();
      assert.equal(await Promise.all([running, waiting]), ["REQUEST_CANCELLED", "REQUEST_CANCELLED"]);
      assert.is(pool.statistics().underWay, 1, "the run goes on");
      assert.is(pool.statistics().waiting, 1);
      assert.is(await other, 4);
    });
    assert.equal(counts, { messages: 2, expired: 0, cancelled: 2, late: 1 });
  }));

test("100,000 calls on one signal leave no listener, and no warning", async () => {
  const warnings: Error[] = [];
  const keep = (warning: Error): void => void warnings.push(warning);
  process.on("warning", keep);
  const { signal } = new AbortController();
  const scope: RunScope = { ...deadline(600_000), signal };
  await withPool({ queueLimit: 5000 }, async (pool) => {
    const twice = await loadGraph(pool, doubling);
    for (let round = 0; round < 20; round += 1) {
      const runs = Array.from({ length: 5000 }, (_, value) => double(twice, value, scope));
      assert.is(getEventListeners(signal, "abort").length, 1);
      await Promise.all(runs);
    }
    assert.is(pool.statistics().finished, 100_000);
  });
  assert.is(getEventListeners(signal, "abort").length, 0);
  process.off("warning", keep);
  assert.equal(warnings, []);
});
