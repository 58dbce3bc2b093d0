import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type Checkpoint, signedNote } from "../../../store/history/checkpoint.js";
import { type History, openHistory } from "../../../store/history/open.js";
import { historyOrigin, requireHead, requireKeptHeads } from "../../../store/history/require-head.js";
import { treeHead, treeSize } from "../../../store/history/tree.js";
import { verifyHistory } from "../../../store/history/verify.js";
import { appendRecord } from "../../../store/history/write.js";
import { SluiceError } from "../../../src/base/error.js";
import { assert, inTemporaryFolder, test, throws } from "../../support/test.js";
import { recordOf, reopened } from "../../support/history.js";

const keep = (history: History, text: string, kind: "run" | "checkpoint" = "run") =>
  appendRecord(history, recordOf(text, { kind }));

const headOf = (history: History): Checkpoint => {
  const { entries } = verifyHistory(history);
  return { origin: historyOrigin(history) ?? "", ...treeHead(history, entries) };
};

function filled(path: string, texts: readonly string[]): Checkpoint {
  const history = openHistory(path, { create: true });
  for (const text of texts) keep(history, text);
  const head = headOf(history);
  history.close();
  return head;
}

const texts = ["one", "two", "three", "four", "five"];

const withHead = (run: (path: string, head: Checkpoint) => void) => () =>
  inTemporaryFolder((folder) => {
    const path = join(folder, "history.db");
    run(path, filled(path, texts));
  });

test(
  "a history that grew still begins with what the checkpoint covers",
  withHead((path, head) => {
    reopened(path, (history) => {
      requireHead(history, head, "c");
      for (let i = 0; i < 20; i += 1) keep(history, `more ${i}`);
      requireHead(history, head, "c");
      verifyHistory(history);
    });
  }),
);

test(
  "an older backup, a cut history and an empty one lack entries of the checkpoint",
  withHead((path, head) => {
    const old = `${path}.old`;
    filled(old, texts.slice(0, 3));
    const error = reopened(old, (history) => throws(() => requireHead(history, head, "c"), "HISTORY_TAMPERED"));
    assert.match(error.message, "3 entries, but c covers 5; 2 missing at the end");
    const empty = `${path}.empty`;
    openHistory(empty, { create: true }).close();
    reopened(empty, (history) => throws(() => requireHead(history, head, "c"), "HISTORY_TAMPERED"));
  }),
);

const forks: Readonly<Record<string, readonly string[]>> = {
  "one entry was rewritten": ["one", "two", "Three", "four", "five"],
  "two entries changed places": ["one", "three", "two", "four", "five"],
  "the last entry is another one, and more follow": ["one", "two", "three", "four", "fork", "six"],
  "the first entry was rewritten": ["One", "two", "three", "four", "five"],
};
for (const [name, content] of Object.entries(forks)) {
  test(
    `a history that verifies by itself, but where ${name}, is a fork`,
    withHead((path, head) => {
      const fork = `${path}.fork`;
      filled(fork, content);
      reopened(fork, (history) => {
        verifyHistory(history);
        throws(() => requireHead(history, head, "c"), "HISTORY_FORK");
      });
    }),
  );
}

test("two copies that went on differently are each a fork for the checkpoint of the other", () =>
  inTemporaryFolder((folder) => {
    const paths = ["a", "b"].map((name) => join(folder, name));
    const [a, b] = paths.map((path, i) => filled(path, [...texts, `went on ${i}`, "same end"]));
    const [first = "", second = ""] = paths;
    if (a === undefined || b === undefined) return assert.unreachable();
    reopened(first, (history) => throws(() => requireHead(history, b, "b"), "HISTORY_FORK"));
    reopened(second, (history) => throws(() => requireHead(history, a, "a"), "HISTORY_FORK"));
  }));

test(
  "a history that was rewritten below a checkpoint that it keeps itself is found without one from outside",
  withHead((path, head) => {
    reopened(path, (history) => {
      keep(history, signedNote(head, Buffer.alloc(32, 1), Buffer.alloc(64)).toString(), "checkpoint");
      requireKeptHeads(history);
    });
    const fork = `${path}.fork`;
    filled(fork, ["one", "two", "Three", "four", "five"]);
    reopened(fork, (history) => {
      keep(history, signedNote(head, Buffer.alloc(32, 1), Buffer.alloc(64)).toString(), "checkpoint");
      verifyHistory(history);
      throws(() => requireKeptHeads(history), "HISTORY_FORK");
    });
  }),
);

/** A copy of a database as a crash leaves it: main file and write-ahead log. */
function copyWithWal(from: string, to: string): void {
  copyFileSync(from, to);
  copyFileSync(`${from}-wal`, `${to}-wal`);
}

/** What a check of the copy says: the code of the error, or null when it holds. */
function verdict(path: string, head: Checkpoint): string | null {
  try {
    reopened(path, (history) => {
      verifyHistory(history);
      requireHead(history, head, "c");
    });
    return null;
  } catch (thrown) {
    if (thrown instanceof SluiceError) return thrown.code;
    throw thrown;
  }
}

test("a write-ahead log that is cut at any frame, damaged, or left behind loses entries, and the checkpoint shows it", () =>
  inTemporaryFolder((folder) => {
    const path = join(folder, "history.db");
    filled(path, ["one"]);
    const history = openHistory(path);
    for (const text of texts.slice(1)) keep(history, text);
    const head = headOf(history);
    const log = readFileSync(`${path}-wal`);
    const frame = 24 + Number(history.database.pragma("page_size", { simple: true }));
    const frames = (log.length - 32) / frame;
    assert.ok(frames > 4, `${frames} frames`);
    const copy = join(folder, "copy.db");
    copyWithWal(path, copy);
    assert.is(verdict(copy, head), null);
    for (let kept = 0; kept < frames; kept += 1) {
      const cut = join(folder, `cut-${kept}.db`);
      copyWithWal(path, cut);
      truncateSync(`${cut}-wal`, 32 + kept * frame);
      assert.is(verdict(cut, head), "HISTORY_TAMPERED", `${kept} of ${frames} frames`);
    }
    const flipped = join(folder, "flipped.db");
    copyWithWal(path, flipped);
    log[32 + frame + 40] = (log[32 + frame + 40] ?? 0) ^ 1;
    writeFileSync(`${flipped}-wal`, log);
    assert.is(verdict(flipped, head), "HISTORY_TAMPERED");
    const alone = join(folder, "alone.db");
    copyFileSync(path, alone);
    assert.not(existsSync(`${alone}-wal`));
    assert.is(verdict(alone, head), "HISTORY_TAMPERED");
    assert.is(treeSize(history), texts.length);
    history.close();
  }));

test(
  "Merkle nodes that were changed in the database are found and named",
  withHead((path) => {
    const database = new Database(path);
    const sql = database.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'entry_no_update'");
    const trigger = sql.pluck().get() ?? "";
    database.exec("DROP TRIGGER entry_no_update; UPDATE entry SET nodes = zeroblob(64) WHERE seq = 4");
    database.exec(trigger);
    database.close();
    const error = reopened(path, (history) => throws(() => verifyHistory(history), "HISTORY_TAMPERED"));
    assert.match(error.message, "entry 4: its Merkle nodes");
  }),
);
