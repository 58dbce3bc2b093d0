import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { raiseSeen } from "../../src/trust/release-state.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { SluiceError } from "../../src/base/error.js";
import { SeenKeeper, seenIntervalMs } from "../../serve/seen-keeper.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { fixtureRouter } from "./support/fixture-router.js";

interface Stored {
  readonly keeper: SeenKeeper;
  readonly state: string;
  readonly clock: { now: Date };
  readonly changes: (string | null)[];
  /** Latest time and highest list of the state file; null without one. */
  readonly seen: () => readonly [string, number] | null;
}

/** A keeper of a real state file. */
async function kept(run: (kept: Stored) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const state = join(folder, "state.json");
    const clock = { now: new Date("2026-03-01T12:00:00Z") };
    const changes: (string | null)[] = [];
    const keeper = new SeenKeeper({
      raise: (seen) => raiseSeen(state, seen),
      clock: () => clock.now,
      onChange: (failure: SluiceError | null) => changes.push(failure?.code ?? null),
    });
    const seen = (): readonly [string, number] | null => {
      try {
        const found = JSON.parse(readFileSync(state, "utf8")) as { last_seen: string; revocation_sequence: number };
        return [found.last_seen, found.revocation_sequence];
      } catch {
        return null;
      }
    };
    await run({ keeper, state, clock, changes, seen });
  });
}

const list = (sequence: number) => ({ sequence, sha256: sha256Hex(String(sequence)), revoked: [] });

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("the time is written at least every minute", () => assert.ok(seenIntervalMs <= 60_000));

test("a started keeper writes at intervals, and again at the end", () =>
  kept(async ({ keeper, clock, seen }) => {
    keeper.start(1);
    while (seen()?.[0] !== "2026-03-01T12:00:00Z") await turn();
    clock.now = new Date("2026-03-01T12:01:00Z");
    while (seen()?.[0] !== "2026-03-01T12:01:00Z") await turn();
    clock.now = new Date("2026-03-01T12:02:00Z");
    await keeper.stop();
    assert.is(seen()?.[0], "2026-03-01T12:02:00Z");
  }));

test("neither the time nor the list is ever lowered", () =>
  kept(async ({ keeper, clock, seen }) => {
    keeper.sawList(list(7));
    await keeper.write();
    clock.now = new Date("2026-02-01T00:00:00Z");
    keeper.sawList(list(3));
    await keeper.write();
    assert.equal(seen(), ["2026-03-01T12:00:00Z", 7]);
  }));

test("changes that are made at once follow each other, and none is lost", () =>
  kept(async ({ state, seen }) => {
    const sequences = Array.from({ length: 20 }, (_, index) => (index * 7) % 20);
    const now = new Date("2026-03-01T00:00:00Z");
    await Promise.all(sequences.map((sequence) => raiseSeen(state, { now, list: list(sequence) })));
    assert.equal(seen(), ["2026-03-01T00:00:00Z", 19]);
  }));

test("a router holds its state file until it is closed", () =>
  kept(async ({ keeper, clock, seen }) => {
    const inner = fixtureRouter();
    const router = keeper.keepWhileOpen(inner);
    assert.is(router.bundleId, inner.bundleId);
    clock.now = new Date("2026-04-10T00:00:00Z");
    await router.close();
    assert.is(inner.closed.count, 1);
    assert.is(seen()?.[0], "2026-04-10T00:00:00Z");
  }));

test("a state file that cannot be written is reported once, and once when it can be again", () =>
  kept(async ({ keeper, state, changes }) => {
    writeFileSync(state, "garbage");
    await keeper.write();
    await keeper.write();
    assert.equal(changes, ["NOT_CANONICAL"]);
    rmSync(state);
    await keeper.write();
    assert.equal(changes, ["NOT_CANONICAL", null]);
  }));
