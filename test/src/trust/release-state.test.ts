import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkReleaseState } from "../../../src/trust/release-state.js";
import { verifyBundle } from "../../../src/trust/verify/verify-bundle.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import type { Manifest } from "../../../src/documents/signed.js";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";
import {
  testEnvironment,
  testFiles,
  testNow,
  testRevocations,
  testTrust,
  writeTestBundle,
} from "../../support/builders-artifacts.js";

interface Start {
  readonly manifest?: Partial<Manifest>;
  readonly now?: Date;
  readonly trustVersion?: number;
  readonly sequence?: number;
  /** Entries of the list. */
  readonly revoked?: number;
}

const entries = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ kind: "artifact" as const, sha256: sha256Hex(String(index)) }));

/** Compares a bundle with the state file. @returns writes it down */
type Load = (options: Start) => Promise<() => Promise<void>>;

/** Starts servers one after the other on one state file. */
async function starts(
  run: (start: (options: Start) => Promise<void>, state: string, load: Load) => Promise<void>,
): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const state = join(folder, "state.json");
    const load: Load = async ({ manifest = {}, now = testNow, trustVersion = 1, sequence, revoked = 0 }) => {
      const { directory } = await writeTestBundle(join(folder, "bundle"), testFiles(), manifest);
      const verified = await verifyBundle({
        directory,
        trustPolicyBytes: canonicalBytes({ ...testTrust(), version: trustVersion }),
        environment: testEnvironment,
        revocationBytes: sequence === undefined ? null : await testRevocations(entries(revoked), { sequence }),
        now,
      });
      return checkReleaseState(state, verified);
    };
    await run(async (options) => (await load(options))(), state, load);
  });
}

const release = (number: number, floor: number, more: Partial<Manifest> = {}): Start => ({
  manifest: { release: number, rollback_floor: floor, ...more },
});

test("a newer release, the same one again, and one above the floor start", () =>
  starts(async (start, state) => {
    for (const next of [release(5, 4), release(6, 5), release(6, 5), release(5, 4)]) await start(next);
    const kept = JSON.parse(readFileSync(state, "utf8")) as { environments: Record<string, { release: number }> };
    assert.is(kept.environments[testEnvironment]?.release, 6);
  }));

test("what another bundle raised while one was loaded stays raised", () =>
  starts(async (_start, state, load) => {
    const keepOlder = await load({ ...release(5, 3), trustVersion: 1 });
    const keepNewer = await load({ ...release(6, 5), trustVersion: 2, sequence: 3 });
    await keepNewer();
    const kept = readFileSync(state);
    await keepOlder();
    assert.ok(readFileSync(state).equals(kept));
  }));

const refused: readonly (readonly [string, readonly Start[], Start, ErrorCode])[] = [
  ["case 42: a release below the signed floor", [release(5, 4), release(6, 5)], release(4, 1), "ROLLBACK_BELOW_FLOOR"],
  [
    "case 42: a release below a floor that an older release left behind",
    [release(6, 5), release(5, 1)],
    release(4, 1),
    "ROLLBACK_BELOW_FLOOR",
  ],
  [
    "case 43: another bundle with the number of the newest one",
    [release(5, 4)],
    release(5, 4, { bundle_version: "2026.3.2" }),
    "COUNTER_CONFLICT",
  ],
  ["an older trust policy", [{ trustVersion: 2 }], { trustVersion: 1 }, "VERSION_ROLLBACK"],
  ["an older revocation list", [{ sequence: 3 }], { sequence: 2 }, "VERSION_ROLLBACK"],
  ["another revocation list of the same number", [{ sequence: 4 }], { sequence: 4, revoked: 1 }, "REVOCATIONS_FORK"],
  ["a revocation list of a far larger number", [{ sequence: 3 }], { sequence: 10_004 }, "REVOCATIONS_JUMP"],
  ["a revocation list that was left out", [{ sequence: 3 }], {}, "VERSION_ROLLBACK"],
  ["case 39: a clock behind the last time seen", [{}], { now: new Date("2026-03-01T11:58:00Z") }, "CLOCK_ROLLBACK"],
];
for (const [name, before, attack, code] of refused) {
  test(`${name} does not start and changes nothing`, () =>
    starts(async (start, state) => {
      for (const earlier of before) await start(earlier);
      const kept = readFileSync(state);
      await rejects(start(attack), code);
      assert.ok(readFileSync(state).equals(kept));
    }));
}

test("a clock that is behind by less than the skew starts", () =>
  starts(async (start) => {
    await start({});
    await start({ now: new Date(testNow.getTime() - 59_000) });
  }));

test("a state file that somebody edited refuses the start", () =>
  starts(async (start, state) => {
    await start({});
    writeFileSync(state, `${readFileSync(state, "utf8")}\n`);
    await rejects(start({}), "NOT_CANONICAL");
    writeFileSync(state, "{}");
    await rejects(start({}), "DOCUMENT_INVALID");
  }));

test("a newer list that lacks an earlier revocation is refused at the next start too", () =>
  starts(async (start) => {
    await start({ ...release(1, 1), sequence: 4, revoked: 2 });
    const refused = await rejects(start({ ...release(1, 1), sequence: 5, revoked: 1 }), "VERSION_ROLLBACK");
    assert.match(refused.message, "revocation list 5 no longer contains the artifact");
    await start({ ...release(1, 1), sequence: 5, revoked: 3 });
  }));

test("a state file that is a pipe, a device or a link is refused, and no start waits for it", () =>
  starts(async (start, state) => {
    assert.is(spawnSync("mkfifo", [state]).status, 0);
    await rejects(start(release(1, 1)), "FILE_REFUSED");
    for (const target of ["/dev/zero", "elsewhere"]) {
      rmSync(state);
      symlinkSync(target, state);
      await rejects(start(release(1, 1)), "FILE_REFUSED");
    }
  }));
