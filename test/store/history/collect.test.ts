import { sha256Hex, type Sha256 } from "../../../src/base/sha256.js";
import { collectUnused, unusedBlobs } from "../../../store/history/collect.js";
import type { History } from "../../../store/history/open.js";
import { getBlob, latestEntry } from "../../../store/history/read.js";
import { verifyHistory } from "../../../store/history/verify.js";
import { appendRecord } from "../../../store/history/write.js";
import { assert, pluck, test, throws } from "../../support/test.js";
import { recordOf, withHistory } from "../../support/history.js";

const at = "2026-03-01T12:00:00Z";

const withUsed = (run: (history: History) => void) =>
  withHistory((history) => {
    appendRecord(history, recordOf("used", { attachments: [Buffer.from("attached")] }));
    run(history);
  });

function addUnused(history: History, text: string): string {
  const bytes = Buffer.from(text);
  const sha256 = sha256Hex(bytes);
  history.database.prepare("INSERT INTO blob VALUES(?, ?, ?)").run(Buffer.from(sha256, "hex"), bytes.length, bytes);
  return sha256;
}

test(
  "a history where everything is used has nothing to collect, and gets no entry",
  withUsed((history) => {
    assert.equal(unusedBlobs(history), []);
    assert.equal(collectUnused(history, "ana", at), { blobs: [], entry: null });
    assert.is(verifyHistory(history).entries, 1);
  }),
);

test(
  "blobs that no entry refers to are deleted and listed in an entry; records and attachments stay",
  withUsed((history) => {
    const unused = [addUnused(history, "unused a"), addUnused(history, "unused b")].sort();
    assert.equal(pluck(unusedBlobs(history), "sha256"), unused);
    const { blobs, entry } = collectUnused(history, "bo", at);
    assert.equal(
      blobs,
      unused.map((sha256) => ({ sha256, size: 8 })),
    );
    assert.is(entry?.seq, 2);
    const kept = latestEntry(history, "collection");
    assert.is(kept?.actor, "bo");
    const said = JSON.parse(getBlob(history, kept?.sha256 ?? sha256Hex("")).toString()) as { blobs: unknown };
    assert.equal(said.blobs, blobs);
    throws(() => getBlob(history, (unused[0] ?? "") as Sha256), "RECORD_NOT_FOUND");
    assert.is(getBlob(history, sha256Hex("used")).toString(), "used");
    assert.is(getBlob(history, sha256Hex("attached")).toString(), "attached");
    assert.is(verifyHistory(history).entries, 2);
  }),
);

test(
  "a collection that cannot be completed deletes nothing",
  withUsed((history) => {
    const unused = addUnused(history, "unused");
    throws(() => collectUnused(history, "ana", "yesterday"), "DOCUMENT_INVALID");
    assert.is(getBlob(history, unused as Sha256).toString(), "unused");
    assert.is(verifyHistory(history).entries, 1);
  }),
);
