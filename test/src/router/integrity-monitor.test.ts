import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { touchedFiles, recheckFiles } from "../../../src/trust/recheck-files.js";
import { type FileStat, readDirectory } from "../../../src/trust/directory-hash.js";
import type { ReverifiedBundle } from "../../../src/trust/verify/verification-thread.js";
import { unbounded } from "../../../src/documents/run-scope.js";
import { SluiceError } from "../../../src/base/error.js";
import { IntegrityMonitor, type IntegrityMonitorOptions } from "../../../src/router/integrity-monitor.js";
import { assert, testWith } from "../../support/test.js";

interface Context {
  folder: string;
  file: string;
  stats: readonly FileStat[];
}
const test = testWith<Context>();

const name = "models/model.onnx";
test.before.each(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), "sluice-guard-"));
  context.file = join(context.folder, name);
  mkdirSync(join(context.folder, "models"));
  writeFileSync(context.file, "signed");
  writeFileSync(join(context.folder, "catalog.yaml"), "signed too");
  context.stats = await statsOf(context.folder);
});
test.after.each((context) => rmSync(context.folder, { recursive: true }));

const expiresAt = new Date("2026-06-01T00:00:00Z");

const statsOf = async (folder: string): Promise<readonly FileStat[]> => (await readDirectory(folder)).stats;

/** The part of a verified bundle that the guard reads. */
const verified = (stats: readonly FileStat[], bundleId = "b1", ends = expiresAt): ReverifiedBundle =>
  ({ bundleId, end: { at: ends.getTime(), of: "approvals" }, fileStats: stats }) as unknown as ReverifiedBundle;

const guardOf = (stats: readonly FileStat[], setting: Partial<IntegrityMonitorOptions> = {}): IntegrityMonitor =>
  new IntegrityMonitor({
    verified: verified(stats),
    verifyAgain: () => Promise.reject(new Error("not expected")),
    recheck: recheckFiles,
    clock: () => new Date("2026-01-01T00:00:00Z"),
    now: () => 0,
    decidingValues: () => "same",
    revocations: null,
    clockWatch: { problems: () => [] },
    ...setting,
  });

/** Lets the promises of a background verification settle. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("an untouched bundle has no problems", ({ stats }) => {
  assert.equal(guardOf(stats).problems(), []);
});

test("at its end date a bundle must not serve, a millisecond before it may", ({ stats }) => {
  let time = expiresAt.getTime() - 1;
  const guard = guardOf(stats, { clock: () => new Date(time) });
  assert.equal(guard.problems(), []);
  time += 1;
  assert.match(guard.problems()[0] ?? "", /expired/);
});

test("a change of thresholds or policy in memory is noticed, and gone when it is undone", ({ stats }) => {
  let values = "same";
  const guard = guardOf(stats, { decidingValues: () => values });
  values = "other";
  assert.match(guard.problems()[0] ?? "", /in memory/);
  values = "same";
  assert.equal(guard.problems(), []);
});

const touches: readonly (readonly [name: string, touch: (context: Context) => void])[] = [
  ["touch", ({ file }) => utimesSync(file, 1, 1)],
  ["chmod", ({ file }) => chmodSync(file, 0o600)],
  ["chmod of a folder", ({ folder }) => chmodSync(join(folder, "models"), 0o700)],
  ["chmod of the whole bundle", ({ folder }) => chmodSync(folder, 0o700)],
  ["the same bytes written again", ({ file }) => writeFileSync(file, "signed")],
  [
    "the same bytes renamed over",
    ({ folder, file }) => {
      writeFileSync(`${folder}.new`, "signed");
      renameSync(`${folder}.new`, file);
    },
  ],
];
for (const [how, touch] of touches) {
  test(`${how}: a request waits until the touched file is read again, and only it`, async (context) => {
    const read: string[] = [];
    const guard = guardOf(context.stats, {
      recheck: async (stats) => {
        read.push(...touchedFiles(stats).paths);
        return recheckFiles(stats);
      },
    });
    touch(context);
    assert.ok(read.length < 3);
    assert.is(guard.problems().length, 1, "not proven yet");
    assert.equal(await guard.checked(unbounded), []);
    assert.equal(guard.problems(), []);
    assert.not.ok(read.some((path) => path.endsWith("catalog.yaml")));
  });
}

const changes: readonly (readonly [name: string, change: (context: Context) => void, names: RegExp])[] = [
  ["other bytes", ({ file }) => writeFileSync(file, "forged"), /: models\/model\.onnx$/],
  ["more bytes", ({ file }) => writeFileSync(file, "signed and more"), /: models\/model\.onnx$/],
  ["a removed file", ({ file }) => rmSync(file), /: models\/model\.onnx is missing$/],
  ["a new file", ({ folder }) => writeFileSync(join(folder, "models/new"), ""), /: models\/new is extra$/],
  ["a new file at the top", ({ folder }) => writeFileSync(join(folder, "new"), ""), /: new is extra$/],
  [
    "a link to equal bytes",
    ({ folder, file }) => {
      renameSync(file, join(folder, "moved"));
      symlinkSync(join(folder, "moved"), file);
    },
    /: moved is extra, models\/model\.onnx$/,
  ],
  [
    "a second name of the file",
    ({ folder, file }) => linkSync(file, join(folder, "second")),
    /: second is extra, models\/model\.onnx$/,
  ],
  [
    "a removed folder and a new file",
    ({ folder }) => {
      rmSync(join(folder, "models"), { recursive: true });
      writeFileSync(join(folder, "new"), "");
    },
    /: new is extra, models is missing, models\/model\.onnx is missing$/,
  ],
];
for (const [how, change, names] of changes) {
  test(`${how}: the request that meets it is declined, and the problem names the file`, async (context) => {
    const guard = guardOf(context.stats, { verifyAgain: () => new Promise(() => undefined) });
    change(context);
    const [problem = ""] = await guard.checked(unbounded);
    assert.match(problem, /^files of the bundle were changed on disk/);
    assert.match(problem, names);
  });
}

test("requests that arrived before a check began share it, and a later request gets a new check", async ({
  stats,
  file,
}) => {
  let looks = 0;
  const clockWatch = {
    problems: () => {
      looks += 1;
      return [];
    },
  };
  const guard = guardOf(stats, {
    clockWatch,
    recheck: () => Promise.resolve({ fileStats: stats, differing: [{ path: name, change: "changed" }] }),
  });
  const first = guard.checked(unbounded);
  const second = guard.checked(unbounded);
  assert.is(looks, 0, "a look never began before the request that it answers");
  assert.equal(await Promise.all([first, second]), [[], []]);
  assert.is(looks, 1);
  writeFileSync(file, "forged");
  const later = await guard.checked(unbounded);
  assert.match(later[0] ?? "", /^files of the bundle were changed on disk/);
});

test("a file that is changed after a request came is noticed for that request", async ({ stats, file }) => {
  const guard = guardOf(stats);
  const asked = guard.checked(unbounded);
  writeFileSync(file, "forged");
  assert.is((await asked).length, 1);
});

test("a request does not wait longer than it may", async ({ stats, file }) => {
  const guard = guardOf(stats, { recheck: () => new Promise(() => undefined) });
  utimesSync(file, 1, 1);
  const late = { ...unbounded, remainingMs: () => 0 };
  assert.is((await guard.checked(late)).length, 1);
  const caller = new AbortController();
  const left = guard.checked({ ...unbounded, signal: caller.signal });
  caller.abort();
  assert.is((await left).length, 1);
});

test("a list that cannot be read is waited for once", async ({ stats }) => {
  let asked = 0;
  const reading = (): Promise<void> => {
    asked += 1;
    return Promise.resolve();
  };
  const revocations = {
    problems: () => ["unreadable"],
    end: () => ({ at: expiresAt.getTime(), of: "approvals" as const }),
    renew: settled,
    reading,
  };
  assert.equal(await guardOf(stats, { revocations }).checked(unbounded), ["unreadable"]);
  assert.is(asked, 1);
});

test("a bundle that was changed for good is verified once, then with growing pauses, and at once when it is right", async (context) => {
  let now = 0;
  const began: number[] = [];
  const guard = guardOf(context.stats, {
    now: () => now,
    verifyAgain: () => {
      began.push(now);
      const problems = [{ code: "HASH_MISMATCH", file: name, message: "" }];
      return Promise.reject(new SluiceError("HASH_MISMATCH", "the folder", { details: { problems } }));
    },
  });
  writeFileSync(context.file, "forged");
  await guard.checked(unbounded);
  for (; now < 10_000; now += 50) {
    for (let i = 0; i < 3; i += 1) guard.problems();
    await settled();
  }
  assert.equal(began, [0, 250, 750, 1750, 3750, 7750]);
  assert.match(guard.problems()[0] ?? "", /: models\/model\.onnx \(HASH_MISMATCH models\/model\.onnx\)$/);
  writeFileSync(context.file, "signed");
  assert.equal(await guard.checked(unbounded), []);
  assert.is(began.length, 6, "a file that holds its bytes again needs no verification of the whole");
});

test("another change after failures is verified within a second, however long the pause had become", async ({
  stats,
  file,
}) => {
  let now = 0;
  const began: number[] = [];
  const verifyAgain = (): Promise<never> => {
    began.push(now);
    return Promise.reject(new Error("no"));
  };
  const guard = guardOf(stats, { now: () => now, verifyAgain });
  writeFileSync(file, "forged");
  await guard.checked(unbounded);
  for (now = 100; now < 100_000; now += 100) {
    guard.problems();
    await settled();
  }
  writeFileSync(file, "forged again");
  await guard.checked(unbounded);
  const before = began.length;
  now += 1000;
  guard.problems();
  assert.is(began.length, before + 1);
});

test("one verification at a time, however many requests meet the change", async ({ stats, file }) => {
  let verifications = 0;
  const verifyAgain = (): Promise<never> => {
    verifications += 1;
    return new Promise(() => undefined);
  };
  const guard = guardOf(stats, { verifyAgain });
  writeFileSync(file, "forged");
  const all = await Promise.all(Array.from({ length: 50 }, () => guard.checked(unbounded)));
  assert.ok(all.every((problems) => problems.length === 1));
  assert.is(verifications, 1);
});

test("a valid bundle of another id does not pass for the one that was loaded", async ({ stats, file, folder }) => {
  const guard = guardOf(stats, { verifyAgain: async () => verified(await statsOf(folder), "b2") });
  writeFileSync(file, "another");
  await guard.checked(unbounded);
  while (!(guard.problems()[0] ?? "").endsWith("(the folder contains another bundle)")) await settled();
  assert.is(guard.problems().length, 1);
  writeFileSync(file, "a third one");
  await guard.checked(unbounded);
  assert.match(guard.problems()[0] ?? "", /\(being verified again\)$/, "the verdict was about other files");
});

test("the revocation list takes precedence, and it alone ends a watched bundle", ({ stats }) => {
  const list = (problems: readonly string[]) => {
    return {
      problems: () => problems,
      end: () => ({ at: Date.parse("2026-07-01T00:00:00Z"), of: "revocation list" as const }),
      renew: settled,
      reading: () => null,
    };
  };
  const refusing = guardOf(stats, { revocations: list(["revoked"]) });
  assert.equal(refusing.problems(), ["revoked"]);
  const late = { clock: () => expiresAt, revocations: list([]) };
  assert.equal(guardOf(stats, late).problems(), []);
});

test("new approvals in the folder renew an expired bundle", async ({ stats, folder }) => {
  const guard = guardOf(stats, {
    clock: () => expiresAt,
    verifyAgain: async () => verified(await statsOf(folder), "b1", new Date("2026-08-01T00:00:00Z")),
  });
  assert.match(guard.problems()[0] ?? "", /expired/);
  writeFileSync(join(folder, "approval"), "new");
  assert.match((await guard.checked(unbounded))[0] ?? "", /expired/);
  while (guard.problems().length > 0) await settled();
  assert.is(guard.approvedUntil().toISOString(), "2026-08-01T00:00:00.000Z");
});

test("a clock that was moved back stops the bundle", ({ stats }) => {
  const guard = guardOf(stats, { clockWatch: { problems: () => ["moved back"] } });
  assert.equal(guard.problems(), ["moved back"]);
});
