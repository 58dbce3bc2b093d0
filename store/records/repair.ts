import { canonicalBytes } from "../../src/base/canonical-json.js";
import { inTransaction } from "../history/write.js";
import { getBlob, listEntries } from "../history/read.js";
import type { History } from "../history/open.js";
import { damageOf, type QuarantineRecord } from "./record-readers.js";
import { saveRecord, type Session } from "./session.js";

export type DamagedRecord = QuarantineRecord["records"][number];

/** Records that the reader of their kind refuses, in the order of the history; quarantined ones are not listed again. */
export function damagedRecords(history: History): readonly DamagedRecord[] {
  return listEntries(history).flatMap(({ kind, sha256 }) => {
    const problem = damageOf(kind, getBlob(history, sha256));
    return problem === null ? [] : [{ kind, sha256, problem }];
  });
}

/**
 * Atomically appends an entry that lists the damaged records. Their entries and bytes stay, so the history verifies as
 * before; no reader returns them after that.
 * @returns  the number of the entry; null if nothing is damaged
 */
export function quarantineDamaged(session: Session): {
  readonly records: readonly DamagedRecord[];
  readonly entry: number | null;
} {
  return inTransaction(session.history, () => {
    const records = damagedRecords(session.history);
    if (records.length === 0) return { records, entry: null };
    const record = canonicalBytes({ schema_version: 1, records });
    return { records, entry: saveRecord(session, "quarantine", record).seq };
  });
}
