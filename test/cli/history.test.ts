import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sha256Hex } from "../../src/base/sha256.js";
import { openHistory } from "../../store/history/open.js";
import { appendRecord } from "../../store/history/write.js";
import { assert, inTemporaryFolder, packageRoot, skipTest, testWith } from "../support/test.js";
import { tamperWith } from "../support/history.js";
import { type Finished, sluice } from "./support/sluice.js";
import { succeed } from "./support/small-workspace.js";

const test = testWith<{ folder?: string }>();

const database = join("sluice-workspace", "history.db");
const publicKey = join("sluice-workspace", "keys", "audit.pub.pem");
const signing = ["--key", "audit", "--passphrase-file", "audit.pass"];
const trusted = ["--public-key", publicKey];
const entries = 11;

function append(path: string, text: string): void {
  const history = openHistory(path, { create: true });
  const attachments = [...text].slice(0, 3).map((c) => Buffer.from(`${c}!`));
  const fields = { kind: "report", actor: 'anä "x"', at: "2026-03-01T12:00:00Z" } as const;
  appendRecord(history, { ...fields, record: Buffer.from(text), attachments });
  history.close();
}

// A history of 11 entries, a key, and a checkpoint that is kept outside.
test.before(async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-history-"));
  context.folder = folder;
  await writeFile(join(folder, "audit.pass"), "secret of the audit\n");
  await succeed(folder, "key", "create", "audit", "--passphrase-file", "audit.pass");
  for (let i = 1; i <= entries; i += 1) append(join(folder, database), `record ${i}`);
  await succeed(folder, "history", "checkpoint", ...signing, "--out", "checkpoint");
});

test.after(({ folder }) => rm(folder ?? "", { recursive: true, force: true }));

const inCopy = (run: (cwd: string) => Promise<void>) => (context: { folder?: string }) =>
  inTemporaryFolder(async (cwd) => {
    await cp(context.folder ?? "", cwd, { recursive: true });
    await run(cwd);
  });

const verify = (cwd: string, ...more: readonly string[]): Promise<Finished> =>
  sluice(["history", "verify", "--checkpoint", "checkpoint", ...trusted, ...more], { cwd });

/** Ends with 4, names the code, and says nothing that sounds like success. */
function refusedWith(code: string, { code: exit, stdout, stderr }: Finished): void {
  assert.is(exit, 4, stderr);
  assert.match(stderr, code);
  assert.is(stdout, "");
}

/** Changes the database as another program would. */
const edit = (cwd: string, ...statements: readonly string[]): void => tamperWith(join(cwd, database), ...statements);

test(
  "a checkpoint holds while the history grows, and each new one continues it",
  inCopy(async (cwd) => {
    append(join(cwd, database), "more");
    const made = await succeed<{ size: number; entry: number; file: null; note: string }>(
      cwd,
      "history",
      "checkpoint",
      ...signing,
    );
    assert.equal([made.size, made.entry, made.file], [13, 14, null]);
    await writeFile(join(cwd, "second"), made.note);
    const { code, stdout, stderr } = await verify(cwd, "--checkpoint", "second");
    assert.is(code, 0, stderr);
    assert.match(stdout, "checkpoint  checkpoint: covers the first 11 entries; signed by key ");
    assert.match(stdout, "checkpoint  second: covers the first 13 entries");
    const unsigned = await sluice(["history", "verify", "--checkpoint", "second"], { cwd });
    assert.is(unsigned.code, 0);
    assert.match(unsigned.stderr, "signatures were not checked");
    const again = await sluice(["history", "checkpoint", ...signing, "--out", "second"], { cwd });
    assert.is(again.code, 2);
    assert.match(again.stderr, "FILE_EXISTS");
  }),
);

test(
  "an edited, a shortened and a rewritten history are refused, each with its code",
  inCopy(async (cwd) => {
    const original = join(cwd, "original.db");
    await succeed(cwd, "history", "backup", original);
    const restart = async (): Promise<void> => {
      await rm(join(cwd, database));
      await succeed(cwd, "history", "restore", original);
    };
    edit(cwd, "UPDATE entry SET actor = 'eve' WHERE seq = 4");
    refusedWith("HISTORY_TAMPERED", await verify(cwd));
    refusedWith("HISTORY_TAMPERED", await sluice(["history", "checkpoint", ...signing], { cwd }));
    await restart();
    edit(cwd, "DELETE FROM attachment WHERE seq > 8", "DELETE FROM entry WHERE seq > 8");
    assert.is((await sluice(["history", "verify"], { cwd })).code, 0);
    refusedWith("HISTORY_TAMPERED", await verify(cwd));
    append(join(cwd, database), "instead");
    for (let i = 0; i < 5; i += 1) append(join(cwd, database), `filler ${i}`);
    assert.is((await sluice(["history", "verify"], { cwd })).code, 0);
    refusedWith("HISTORY_FORK", await verify(cwd));
    await restart();
    assert.is((await verify(cwd)).code, 0);
  }),
);

test(
  "a checkpoint of another key, and an edited one, are refused",
  inCopy(async (cwd) => {
    await succeed(cwd, "key", "create", "other", "--passphrase-file", "audit.pass");
    const other = join("sluice-workspace", "keys", "other.pub.pem");
    refusedWith(
      "SIGNATURE_INVALID",
      await sluice(["history", "verify", "--checkpoint", "checkpoint", "--public-key", other], { cwd }),
    );
    const note = await readFile(join(cwd, "checkpoint"), "utf8");
    await writeFile(join(cwd, "checkpoint"), note.replace("\n11\n", "\n10\n"));
    refusedWith("SIGNATURE_INVALID", await verify(cwd));
    await writeFile(join(cwd, "checkpoint"), note.replace("\n11\n", "\n011\n"));
    refusedWith("NOT_CANONICAL", await verify(cwd));
    const { code, stderr } = await sluice(["history", "verify", ...trusted], { cwd });
    assert.is(code, 2);
    assert.match(stderr, "--public-key needs a --checkpoint");
  }),
);

test(
  "a backup without the entries of the checkpoint is not restored, and an existing history is never replaced",
  inCopy(async (cwd) => {
    const old = join(cwd, "old.db");
    for (let i = 1; i <= 3; i += 1) append(old, `record ${i}`);
    await rm(join(cwd, database));
    refusedWith("HISTORY_TAMPERED", await sluice(["history", "restore", old, "--checkpoint", "checkpoint"], { cwd }));
    await succeed(cwd, "history", "restore", old);
    const { code, stderr } = await sluice(["history", "restore", old], { cwd });
    assert.is(code, 2);
    assert.match(stderr, "FILE_EXISTS");
  }),
);

test(
  "the log is limited by kind, writer and time, and refuses what does not go together",
  inCopy(async (cwd) => {
    const seqs = async (...limits: readonly string[]) => {
      const { entries: found } = await succeed<{ entries: { seq: number }[] }>(cwd, "history", "log", ...limits);
      return found.map(({ seq }) => seq);
    };
    assert.is((await seqs("--kind", "report")).length, entries);
    assert.equal(await seqs("--kind", "checkpoint"), [12]);
    assert.equal(await seqs("--written-by", "tester"), [12]);
    assert.is((await seqs("--before", "2026-03-01")).length, entries);
    assert.equal(await seqs("--before", "2026-02-28"), []);
    assert.equal(await seqs("--since", "2026-03-01T12:00:01Z"), [12]);
    for (const wrong of [
      ["--on", "2026-03-01"],
      ["--since", "2026-02-30"],
      ["--before", "yesterday"],
    ]) {
      assert.is((await sluice(["history", "log", ...wrong], { cwd })).code, 2);
    }
  }),
);

test(
  "unused blobs are listed, deleted only when asked, and the deletion is an entry",
  inCopy(async (cwd) => {
    const bytes = Buffer.from("extra");
    edit(cwd, `INSERT INTO blob VALUES(x'${sha256Hex(bytes)}', 5, x'${bytes.toString("hex")}')`);
    const warned = await sluice(["history", "verify"], { cwd });
    assert.is(warned.code, 0, warned.stderr);
    assert.match(warned.stderr, "1 blob belongs to no entry and is covered by no hash");
    assert.match(warned.stderr, "sluice history gc --delete");
    const listed = await succeed<{ bytes: number; deleted: boolean }>(cwd, "history", "gc");
    assert.equal([listed.bytes, listed.deleted], [5, false]);
    const deleted = await succeed<{ blobs: unknown[]; entry: number }>(cwd, "history", "gc", "--delete");
    assert.equal([deleted.blobs.length, deleted.entry], [1, 13]);
    assert.not.match((await sluice(["history", "verify"], { cwd })).stderr, "belong to no entry");
  }),
);

/** Registers a test that needs the programs of the page. */
function testWithTools(name: string, body: Parameters<typeof test>[1] & object): void {
  const needed: readonly (readonly [string, string])[] = [
    ["sqlite3", "-version"],
    ["jq", "--version"],
    ["openssl", "version"],
    ["basenc", "--version"],
  ];
  const missing = needed.find(([program, flag]) => spawnSync(program, [flag]).error !== undefined);
  if (missing === undefined) test(name, body);
  else skipTest(name, missing[0]);
}

/** Runs the script of the page for one entry in a folder with history.db, checkpoint and audit.pub.pem. */
function runPage(cwd: string, entry: number): { readonly status: number | null; readonly output: string } {
  const env = { PATH: process.env["PATH"], LC_ALL: "C", entry: String(entry) };
  const script = join(packageRoot, "docs", "examples", "verify-history.sh");
  const { status, stdout, stderr } = spawnSync("sh", [script], { cwd, encoding: "utf8", env });
  return { status, output: `${stdout}${stderr}` };
}

async function preparePage(cwd: string): Promise<void> {
  await succeed(cwd, "history", "backup", "history.db");
  await cp(join(cwd, publicKey), join(cwd, "audit.pub.pem"));
}

testWithTools(
  "the script of the page accept every entry and the checkpoint",
  inCopy(async (cwd) => {
    await preparePage(cwd);
    for (const entry of [1, 7, entries]) {
      const { status, output } = runPage(cwd, entry);
      assert.is(status, 0, output);
      assert.match(output, "Signature Verified Successfully");
      assert.match(output, "record.bin: OK");
    }
  }),
);

const damages: Readonly<Record<string, readonly string[]>> = {
  "an edited actor": ["UPDATE entry SET actor = 'eve' WHERE seq = 7"],
  "a removed attachment": ["DELETE FROM attachment WHERE seq = 7"],
  "an edited body": ["UPDATE entry SET body = x'7b7d' WHERE seq = 7"],
  "an edited leaf elsewhere": ["UPDATE entry SET leaf = randomblob(32) WHERE seq = 2"],
  "a deleted entry elsewhere": ["DELETE FROM entry WHERE seq = 11"],
  "an edited record": ["UPDATE blob SET bytes = zeroblob(8) WHERE bytes = CAST('record 7' AS BLOB)"],
};
for (const [name, statements] of Object.entries(damages)) {
  testWithTools(
    `the script of the page notice ${name}`,
    inCopy(async (cwd) => {
      await preparePage(cwd);
      const file = new Database(join(cwd, "history.db"));
      file.pragma("foreign_keys = OFF");
      for (const trigger of ["entry_no_update", "entry_no_delete", "attachment_no_delete", "blob_no_update"]) {
        file.exec(`DROP TRIGGER ${trigger}`);
      }
      for (const statement of statements) file.exec(statement);
      file.close();
      assert.is.not(runPage(cwd, 7).status, 0);
    }),
  );
}

testWithTools(
  "the script of the page notice an edited checkpoint",
  inCopy(async (cwd) => {
    await preparePage(cwd);
    const note = await readFile(join(cwd, "checkpoint"), "utf8");
    await writeFile(join(cwd, "checkpoint"), note.replace("\n11\n", "\n10\n"));
    const { status, output } = runPage(cwd, 7);
    assert.is.not(status, 0);
    assert.match(output, "Signature Verification Failure");
  }),
);
