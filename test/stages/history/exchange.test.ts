import { spawnSync } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ErrorCode } from "../../../src/base/error-codes.js";
import { canonicalBytes } from "../../../src/base/canonical-json.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import { pullFrom, pushTo } from "../../../stages/history/exchange.js";
import { type History, openHistory } from "../../../store/history/open.js";
import { verifyHistory } from "../../../store/history/verify.js";
import { assert, inTemporaryFolder, rejects, test } from "../../support/test.js";
import { inRelease } from "../../cli/support/release-workspace.js";
import { sluice } from "../../cli/support/sluice.js";
import { signedBy, succeed } from "../../cli/support/small-workspace.js";
import { pushWithKills, watch, writeRecords } from "../../support/push-kills.js";

const opened = (folder: string, name: string): History => openHistory(join(folder, `${name}.db`), { create: true });

test("entries and only the missing blobs move, whole histories are equal, and a second time nothing moves", () =>
  inTemporaryFolder(async (folder) => {
    const [ann, bo, team] = [opened(folder, "ann"), opened(folder, "bo"), join(folder, "team")];
    writeRecords(ann, "ann", 5);
    const pushed = await pushTo(team, ann, watch);
    assert.equal([pushed.entries, pushed.blobs, pushed.size, pushed.ahead], [5, 11, 5, 0]);
    assert.equal((await pushTo(team, ann, watch)).entries, 0);
    const pulled = await pullFrom(team, bo, watch);
    assert.equal([pulled.entries, pulled.blobs, pulled.root], [5, 11, pushed.root]);
    writeRecords(bo, "bo", 2);
    const back = await pushTo(team, bo, watch);
    assert.equal([back.entries, back.blobs], [2, 4]);
    const behind = await pushTo(team, ann, watch);
    assert.equal([behind.entries, behind.ahead], [0, 2]);
    assert.equal((await pullFrom(team, ann, watch)).entries, 2);
    assert.equal(verifyHistory(ann), verifyHistory(bo));
    assert.equal(readdirSync(join(team, "tmp")), []);
    for (const history of [ann, bo]) history.close();
  }));

test("a fork is refused on both sides, names where it begins, and changes nothing", () =>
  inTemporaryFolder(async (folder) => {
    const [ann, bo, other, team] = [
      opened(folder, "ann"),
      opened(folder, "bo"),
      opened(folder, "other"),
      join(folder, "team"),
    ];
    writeRecords(ann, "ann", 3);
    await pushTo(team, ann, watch);
    await pullFrom(team, bo, watch);
    writeRecords(ann, "ann again", 1);
    writeRecords(bo, "bo", 2);
    await pushTo(team, ann, watch);
    const before = [verifyHistory(ann), verifyHistory(bo), readdirSync(join(team, "entries"))];
    for (const exchange of [pushTo, pullFrom]) {
      const refused = await rejects(exchange(team, bo, watch), "HISTORY_FORK");
      assert.match(refused.message, /differ, starting with entry 4: 2 entries here, 1 there$/);
      writeRecords(other, "other", 1);
      assert.match((await rejects(exchange(team, other, watch), "HISTORY_FORK")).message, "starting with entry 1");
    }
    assert.equal([verifyHistory(ann), verifyHistory(bo), readdirSync(join(team, "entries"))], before);
    for (const history of [ann, bo, other]) history.close();
  }));

test("an entry is a file with the root up to it, and the head names the last one", () =>
  inTemporaryFolder(async (folder) => {
    const [ann, team] = [opened(folder, "ann"), join(folder, "team")];
    writeRecords(ann, "ann", 3);
    const { root } = await pushTo(team, ann, watch);
    assert.equal(JSON.parse(readFileSync(headOf(team), "utf8")), { schema_version: 1, size: 3, root });
    assert.is(sharedEntry(team, 3).root, root);
    assert.equal(readFileSync(entryOf(team, 3)), canonicalBytes(sharedEntry(team, 3)));
    for (const name of readdirSync(join(team, "blobs", "sha256"))) {
      assert.is(sha256Hex(readFileSync(join(team, "blobs", "sha256", name))), name);
    }
    ann.close();
  }));

test("of two pushes at once, one finds the entry of the other", () =>
  inTemporaryFolder(async (folder) => {
    const [ann, bo, team] = [opened(folder, "ann"), opened(folder, "bo"), join(folder, "team")];
    writeRecords(ann, "ann", 3);
    await pushTo(team, ann, watch);
    await pullFrom(team, bo, watch);
    writeRecords(ann, "ann again", 20);
    writeRecords(bo, "bo", 20);
    const ends = await Promise.allSettled([pushTo(team, ann, watch), pushTo(team, bo, watch)]);
    assert.equal(ends.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const fresh = opened(folder, "fresh");
    assert.is((await pullFrom(team, fresh, watch)).size, 23);
    const winner = ends[0]?.status === "fulfilled" ? ann : bo;
    assert.equal(verifyHistory(fresh), verifyHistory(winner));
    for (const history of [ann, bo, fresh]) history.close();
  }));

test("changed, missing and foreign files are refused before they are used", () =>
  inTemporaryFolder(async (folder) => {
    const [ann, team] = [opened(folder, "ann"), join(folder, "team")];
    writeRecords(ann, "ann", 3);
    await pushTo(team, ann, watch);
    ann.close();
    const damage: readonly (readonly [string, (copy: string) => void])[] = [
      ["HISTORY_TAMPERED", (copy) => appendFileSync(entryOf(copy, 2), " ")],
      ["HISTORY_TAMPERED", (copy) => writeFileSync(entryOf(copy, 2), "{")],
      ["HISTORY_TAMPERED", (copy) => appendFileSync(recordOf(copy), "x")],
      ["HISTORY_TAMPERED", (copy) => rmSync(recordOf(copy))],
      ["HISTORY_TAMPERED", (copy) => replaceEntry(copy, (entry) => ({ ...entry, seq: 3 }))],
      ["HISTORY_TAMPERED", (copy) => replaceEntry(copy, (entry) => ({ ...entry, actor: "bo" }))],
      ["DB_TOO_NEW", (copy) => replaceEntry(copy, (entry) => ({ ...entry, kind: "dream" }))],
      ["HISTORY_TAMPERED", (copy) => writeFileSync(headOf(copy), canonicalBytes({ ...read(headOf(copy)), size: 2 }))],
      ["HISTORY_TAMPERED", (copy) => writeFileSync(headOf(copy), "{")],
      ["DB_NOT_OURS", (copy) => rmSync(headOf(copy))],
      ["FILE_NOT_FOUND", (copy) => rmSync(copy, { recursive: true })],
    ];
    for (const [i, [code, change]] of damage.entries()) {
      const copy = join(folder, `copy-${i}`);
      await cp(team, copy, { recursive: true });
      writeFileSync(join(copy, "README"), "not ours");
      change(copy);
      const fresh = opened(folder, `fresh-${i}`);
      await rejects(pullFrom(copy, fresh, watch), code as "HISTORY_TAMPERED");
      assert.ok(verifyHistory(fresh).entries < 3, `${i}`);
      fresh.close();
    }
  }));

test("a folder whose parts are links, pipes or holes is refused, and nobody's files are deleted or written", () =>
  inTemporaryFolder(async (folder) => {
    const [ann, team, private_] = [opened(folder, "ann"), join(folder, "team"), join(folder, "private")];
    writeRecords(ann, "ann", 3);
    await pushTo(team, ann, watch);
    await mkdir(private_);
    writeFileSync(join(private_, "id_ed25519"), "secret");
    utimesSync(join(private_, "id_ed25519"), 0, 0);
    const replaced = (path: string, replace: (path: string) => void): void => {
      rmSync(path, { recursive: true });
      replace(path);
    };
    const linked = (path: string): void => symlinkSync(private_, path);
    const pipe = (path: string): void => void spawnSync("mkfifo", [path]);
    const damage: readonly (readonly [ErrorCode, (copy: string) => void])[] = [
      ["FILE_REFUSED", (copy) => replaced(join(copy, "tmp"), linked)],
      ["FILE_REFUSED", (copy) => replaced(join(copy, "blobs", "sha256"), linked)],
      ["FILE_REFUSED", (copy) => replaced(join(copy, "entries"), linked)],
      ["FILE_REFUSED", (copy) => replaced(headOf(copy), pipe)],
      ["FILE_REFUSED", (copy) => replaced(headOf(copy), (path) => symlinkSync("/dev/zero", path))],
      ["FILE_REFUSED", (copy) => replaced(entryOf(copy, 3), pipe)],
      ["FILE_REFUSED", (copy) => replaced(recordOf(copy), pipe)],
      ["HISTORY_TAMPERED", (copy) => rmSync(entryOf(copy, 2))],
      ["HISTORY_TAMPERED", (copy) => rmSync(entryOf(copy, 3))],
      ["HISTORY_TAMPERED", (copy) => rmSync(headOf(copy))],
    ];
    for (const [i, [code, change]] of damage.entries()) {
      const copy = join(folder, `copy-${i}`);
      await cp(team, copy, { recursive: true });
      change(copy);
      const fresh = opened(folder, `fresh-${i}`);
      await rejects(pullFrom(copy, fresh, watch), code);
      fresh.close();
      if (i < 5) await rejects(pushTo(copy, ann, watch), code);
      assert.equal(readdirSync(private_), ["id_ed25519"], String(i));
    }
    const foreign = join(team, "tmp", "notes.txt");
    const staged = join(team, "tmp", "0123456789abcdef");
    for (const file of [foreign, staged]) {
      writeFileSync(file, "");
      utimesSync(file, 0, 0);
    }
    await pushTo(team, ann, watch);
    assert.equal(readdirSync(join(team, "tmp")), ["notes.txt"]);
    ann.close();
  }));

interface EntryFile {
  readonly entry: { readonly record_sha256: string };
  readonly root: string;
}

const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as object;
const headOf = (copy: string): string => join(copy, "head.json");
const entryOf = (copy: string, seq: number): string => join(copy, "entries", `0000000${seq}.json`);
const sharedEntry = (copy: string, seq: number) => read(entryOf(copy, seq)) as EntryFile;
const recordOf = (copy: string): string => join(copy, "blobs", "sha256", sharedEntry(copy, 2).entry.record_sha256);

/** Changes entry 2 of a copy, but not its root. */
function replaceEntry(copy: string, change: (entry: object) => object): void {
  const { entry, root } = sharedEntry(copy, 2);
  writeFileSync(entryOf(copy, 2), canonicalBytes({ entry: change(entry), root }));
}

test("a push that is killed at five points loses nothing: what is there is a whole history, and the rest follows", () =>
  inTemporaryFolder(async (folder) => {
    const there = await pushWithKills(folder, { kills: 5, entries: 60, seed: 7 });
    assert.ok(there > 5 && there < 60, `${there} entries after the kills`);
  }));

test("the producer here, two approvers there, a server elsewhere: one chain", () =>
  inRelease(async (cwd, { bundle }) => {
    const team = join(cwd, "team");
    await succeed(cwd, "history", "push", team);
    for (const person of ["bo", "cy"] as const) {
      const desk = join(cwd, `desk-of-${person}`);
      await mkdir(join(desk, "sluice-workspace"), { recursive: true });
      await cp(join(cwd, "sluice-workspace", "trust.json"), join(desk, "sluice-workspace", "trust.json"));
      await cp(join(cwd, "sluice-workspace", "keys"), join(desk, "sluice-workspace", "keys"), { recursive: true });
      await cp(join(cwd, `${person}.pass`), join(desk, `${person}.pass`));
      await succeed(desk, "history", "pull", team);
      await succeed(desk, "approve", "--approver", person, ...signedBy(person), "--yes");
      await succeed(desk, "history", "push", team);
    }
    const server = join(cwd, "server");
    await mkdir(join(server, "sluice-workspace"), { recursive: true });
    await cp(join(cwd, "sluice-workspace", "trust.json"), join(server, "sluice-workspace", "trust.json"));
    const there = await succeed<{ root: string; size: number }>(server, "history", "pull", team);
    const exported = await succeed<{ bundle_id: string }>(server, "bundle", "export");
    assert.is(exported.bundle_id, bundle);
    await succeed(server, "bundle", "verify", join("sluice-workspace", "bundle"));
    const here = await succeed<{ root: string; size: number }>(cwd, "history", "pull", team);
    assert.equal([here.root, here.size], [there.root, there.size]);
    await succeed(cwd, "reject", "--approver", "bo", ...signedBy("bo"), "--yes", "--reason", "unclear");
    await succeed(server, "history", "push", team);
    for (const direction of ["push", "pull"]) {
      const { code, stderr } = await sluice(["history", direction, team], { cwd });
      assert.is(code, 4, stderr);
      assert.match(stderr, "HISTORY_FORK");
    }
  }));
