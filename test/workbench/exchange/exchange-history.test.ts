import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { seededRandom } from "../../../src/stats/seeded-random.js";
import { pullFrom, pushTo } from "../../../workbench/exchange/exchange-history.js";
import { type History, openHistory } from "../../../workbench/history/open.js";
import { verifyHistory } from "../../../workbench/history/verify.js";
import { appendRecord } from "../../../workbench/history/write.js";
import { silentProgress } from "../../../workbench/step-progress.js";
import { inRelease } from "../../cli/support/release-workspace.js";
import { sluice } from "../../cli/support/sluice.js";
import { signedBy, succeed } from "../../cli/support/small-workspace.js";
import { inTemporaryFolder } from "../../support/builders-artifacts.js";
import { rejects } from "../../support/rejects.js";

const test = suite("workbench/exchange");

const watch = { signal: new AbortController().signal, progress: silentProgress, clock: () => new Date().getTime() };
const program = fileURLToPath(new URL("../../support/history-push-program.js", import.meta.url));

function write(history: History, who: string, records: number, size = 10): void {
  for (let i = 0; i < records; i += 1) {
    const record = Buffer.from(`${who} ${i}`.padEnd(size, who));
    appendRecord(history, {
      kind: "run",
      actor: who,
      at: "2026-03-01T12:00:00Z",
      record,
      // One attachment for all, and one for each.
      attachments: [Buffer.from("shared by all".padEnd(1000)), Buffer.from(`of ${who} ${i}`)],
    });
  }
}

const opened = (folder: string, name: string): History => openHistory(join(folder, `${name}.db`), { create: true });

test("entries and only the missing blobs move, whole histories are equal, and a second time nothing moves", () =>
  inTemporaryFolder(async (folder) => {
    const [ann, bo, team] = [opened(folder, "ann"), opened(folder, "bo"), join(folder, "team")];
    write(ann, "ann", 5);
    const pushed = await pushTo(team, ann, watch);
    assert.equal([pushed.entries, pushed.blobs, pushed.size, pushed.ahead], [5, 11, 5, 0]);
    assert.equal((await pushTo(team, ann, watch)).entries, 0);
    const pulled = await pullFrom(team, bo, watch);
    assert.equal([pulled.entries, pulled.blobs, pulled.root], [5, 11, pushed.root]);
    write(bo, "bo", 2);
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
    write(ann, "ann", 3);
    await pushTo(team, ann, watch);
    await pullFrom(team, bo, watch);
    write(ann, "ann again", 1);
    write(bo, "bo", 2);
    await pushTo(team, ann, watch);
    const before = [verifyHistory(ann), verifyHistory(bo), readdirSync(join(team, "entries"))];
    for (const exchange of [pushTo, pullFrom]) {
      const refused = await rejects(exchange(team, bo, watch), "HISTORY_FORK");
      assert.match(refused.message, /differ, starting with entry 4: 2 entries here, 1 there$/);
      write(other, "other", 1);
      assert.match((await rejects(exchange(team, other, watch), "HISTORY_FORK")).message, "starting with entry 1");
    }
    assert.equal([verifyHistory(ann), verifyHistory(bo), readdirSync(join(team, "entries"))], before);
    for (const history of [ann, bo, other]) history.close();
  }));

test("of two pushes at once, one finds the entry of the other", () =>
  inTemporaryFolder(async (folder) => {
    const [ann, bo, team] = [opened(folder, "ann"), opened(folder, "bo"), join(folder, "team")];
    write(ann, "ann", 3);
    await pushTo(team, ann, watch);
    await pullFrom(team, bo, watch);
    write(ann, "ann again", 20);
    write(bo, "bo", 20);
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
    write(ann, "ann", 3);
    await pushTo(team, ann, watch);
    ann.close();
    const damage: readonly (readonly [string, (copy: string) => void])[] = [
      ["ENTRY_TAMPERED", (copy) => appendFileSync(join(copy, "entries", "00000002"), " ")],
      ["ENTRY_TAMPERED", (copy) => writeFileSync(join(copy, "entries", "00000002"), "{")],
      ["ENTRY_TAMPERED", (copy) => appendFileSync(firstBlob(copy), "x")],
      ["ENTRY_TAMPERED", (copy) => rmSync(firstBlob(copy))],
      ["DB_TOO_NEW", (copy) => changeKind(join(copy, "entries", "00000002"))],
      ["DB_NOT_OURS", (copy) => rmSync(join(copy, "history.json"))],
      ["FILE_NOT_FOUND", (copy) => rmSync(copy, { recursive: true })],
    ];
    for (const [i, [code, change]] of damage.entries()) {
      const copy = join(folder, `copy-${i}`);
      await cp(team, copy, { recursive: true });
      writeFileSync(join(copy, "README"), "not ours");
      change(copy);
      const fresh = opened(folder, `fresh-${i}`);
      await rejects(pullFrom(copy, fresh, watch), code as "ENTRY_TAMPERED");
      assert.ok(verifyHistory(fresh).entries < 3, `${i}`);
      fresh.close();
    }
  }));

const firstBlob = (copy: string): string => {
  const folder = join(copy, "blobs", "sha256");
  return join(folder, readdirSync(folder)[0] ?? "");
};

function changeKind(entry: string): void {
  writeFileSync(entry, readFileSync(entry, "utf8").replace('"kind":"run"', '"kind":"dream"'));
}

/** Pushes in a process of its own, which is killed once it has written a number of entries. */
function killedPush(path: string, folder: string, after: number): Promise<string> {
  const child = spawn(process.execPath, [program, path, folder], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  if (after === 0) child.kill("SIGKILL");
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    if (printed.split("\n").length > after) child.kill("SIGKILL");
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(printed));
  });
}

test("a push that is killed at twenty points loses nothing: what is there is a whole history, and the rest follows", () =>
  inTemporaryFolder(async (folder) => {
    const [ann, bo, team] = [opened(folder, "ann"), opened(folder, "bo"), join(folder, "team")];
    write(ann, "ann", 150, 20_000);
    const random = seededRandom(7);
    let there = 0;
    for (let kill = 0; kill < 20; kill += 1) {
      const printed = await killedPush(ann.path, team, random.integer(0, 10));
      assert.not.match(printed, "error");
      if (!existsSync(join(team, "history.json"))) continue;
      const { size } = await pullFrom(team, bo, watch).catch(() => ({ size: 0 }));
      assert.ok(size >= there, "an entry that was there is there");
      there = size;
      assert.is(verifyHistory(bo).entries, size);
    }
    assert.ok(there > 20 && there < 150, `${there} entries after the kills`);
    const { entries } = await pushTo(team, ann, watch);
    assert.is(entries, 150 - there);
    await pullFrom(team, bo, watch);
    assert.equal(verifyHistory(bo), verifyHistory(ann));
    for (const file of readdirSync(join(team, "blobs", "sha256")))
      assert.ok(statSync(join(team, "blobs", "sha256", file)).size > 0);
    for (const history of [ann, bo]) history.close();
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
    await succeed(cwd, "reject", "--approver", "bo", ...signedBy("bo"), "--yes");
    await succeed(server, "history", "push", team);
    for (const direction of ["push", "pull"]) {
      const { code, stderr } = await sluice(["history", direction, team], { cwd });
      assert.is(code, 4, stderr);
      assert.match(stderr, "HISTORY_FORK");
    }
  }));

test.run();
