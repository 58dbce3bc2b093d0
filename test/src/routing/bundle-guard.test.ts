import { lstatSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { FileStat } from "../../../src/artifacts/directory-hash.js";
import type { VerifiedBundle } from "../../../src/artifacts/verify/verify-bundle.js";
import { BundleGuard, type BundleGuardOptions } from "../../../src/routing/bundle-guard.js";

interface Context {
  folder: string;
  file: string;
}
const test = suite<Context>("src/routing/bundle-guard");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "sluice-guard-"));
  context.file = join(context.folder, "catalog.yaml");
  writeFileSync(context.file, "signed");
});
test.after.each((context) => rmSync(context.folder, { recursive: true }));

const expiresAt = new Date("2026-06-01T00:00:00Z");

function statOf(path: string): FileStat {
  const { size, mtimeNs, ctimeNs, ino } = lstatSync(path, { bigint: true });
  return { path, size, mtimeNs, ctimeNs, ino };
}

/** The part of a verified bundle that the guard reads. */
const verified = (file: string, bundleId = "b1", ends = expiresAt): VerifiedBundle =>
  ({ bundleId, expiresAt: ends, fileStats: [statOf(file)] }) as unknown as VerifiedBundle;

interface Setting {
  readonly verifyAgain?: () => Promise<VerifiedBundle>;
  readonly clock?: () => Date;
  readonly decidingValues?: () => string;
  readonly revocations?: BundleGuardOptions["revocations"];
  readonly clockWatch?: BundleGuardOptions["clockWatch"];
}

const guardOf = (file: string, setting: Setting = {}): BundleGuard =>
  new BundleGuard({
    verified: verified(file),
    verifyAgain: () => Promise.reject(new Error("not expected")),
    clock: () => new Date("2026-01-01T00:00:00Z"),
    decidingValues: () => "same",
    revocations: null,
    clockWatch: { problems: () => [] },
    ...setting,
  });

/** Lets the promises of a background verification settle. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("an untouched bundle has no problems", ({ file }) => {
  assert.equal(guardOf(file).problems(), []);
});

test("at its end date a bundle must not serve, a millisecond before it may", ({ file }) => {
  let time = expiresAt.getTime() - 1;
  const guard = guardOf(file, { clock: () => new Date(time) });
  assert.equal(guard.problems(), []);
  time += 1;
  assert.match(guard.problems()[0] ?? "", /expired/);
});

test("a change of thresholds or policy in memory is noticed, and gone when it is undone", ({ file }) => {
  let values = "same";
  const guard = guardOf(file, { decidingValues: () => values });
  values = "other";
  assert.match(guard.problems()[0] ?? "", /in memory/);
  values = "same";
  assert.equal(guard.problems(), []);
});

test("a touched file is not trusted until a verification proves the bundle equal", async ({ file }) => {
  let verifications = 0;
  const guard = guardOf(file, {
    verifyAgain: () => {
      verifications += 1;
      return Promise.resolve(verified(file));
    },
  });
  utimesSync(file, 1, 1);
  assert.match(guard.problems()[0] ?? "", /changed on disk/);
  guard.problems();
  assert.is(verifications, 1, "one verification at a time");
  await settled();
  assert.equal(guard.problems(), []);
});

test("a file that was changed for good stays refused, and is looked at again", async ({ file }) => {
  let verifications = 0;
  const guard = guardOf(file, {
    verifyAgain: () => {
      verifications += 1;
      return Promise.reject(new Error("hash mismatch"));
    },
  });
  writeFileSync(file, "forged");
  guard.problems();
  await settled();
  assert.is(guard.problems().length, 1);
  assert.is(verifications, 2);
});

test("a valid bundle of another id does not pass for the one that was loaded", async ({ file }) => {
  const guard = guardOf(file, { verifyAgain: () => Promise.resolve(verified(file, "b2")) });
  writeFileSync(file, "another");
  guard.problems();
  await settled();
  assert.is(guard.problems().length, 1);
});

test("what the revocation list says comes first, and it alone knows the end of a watched bundle", ({ file }) => {
  const list = (problems: readonly string[]) => {
    return { problems: () => problems, endsAt: () => new Date("2026-07-01T00:00:00Z"), renew: () => undefined };
  };
  const refusing = guardOf(file, { revocations: list(["revoked"]) });
  assert.equal(refusing.problems(), ["revoked"]);
  const late = { clock: () => expiresAt, revocations: list([]) };
  assert.equal(guardOf(file, late).problems(), []);
});

test("new approvals in the folder renew an expired bundle", async ({ file }) => {
  const guard = guardOf(file, {
    clock: () => expiresAt,
    verifyAgain: () => Promise.resolve(verified(file, "b1", new Date("2026-08-01T00:00:00Z"))),
  });
  assert.match(guard.problems()[0] ?? "", /expired/);
  writeFileSync(file, "signed with new approvals");
  assert.match(guard.problems()[0] ?? "", /expired/);
  await settled();
  assert.equal(guard.problems(), []);
  assert.is(guard.approvedUntil().toISOString(), "2026-08-01T00:00:00.000Z");
});

test("a clock that was moved back stops the bundle", ({ file }) => {
  const guard = guardOf(file, { clockWatch: { problems: () => ["moved back"] } });
  assert.equal(guard.problems(), ["moved back"]);
});

test("a deleted file is a change", ({ file }) => {
  const guard = guardOf(file, { verifyAgain: () => Promise.reject(new Error("missing")) });
  rmSync(file);
  assert.is(guard.problems().length, 1);
  writeFileSync(file, "");
});

test.run();
