import { historyKinds } from "../../../src/documents/choices.js";
import { SluiceError } from "../../../src/base/error.js";
import { recordReaders } from "../../../store/records/record-readers.js";
import { assert, test } from "../../support/test.js";

const strange: readonly string[] = [
  "",
  "not JSON",
  "null",
  "[]",
  "7",
  '{"schema_version":1}',
  '{"schema_version":1,"strange":true}',
  '{"payload":"e30=","payloadType":"application/vnd.in-toto+json","signatures":[]}',
];

test("every kind has a reader, and refuses what is no record of it with a code", () => {
  assert.equal(Object.keys(recordReaders).sort(), [...historyKinds].sort());
  for (const kind of historyKinds) {
    // A report is whatever was written, and no rows are a dataset without rows.
    const documents = kind === "report" ? [] : strange.filter((text) => kind !== "dataset" || text !== "");
    for (const text of documents) {
      try {
        recordReaders[kind](Buffer.from(text), `${kind} 0000`);
        assert.unreachable(`${kind} read ${text}`);
      } catch (thrown) {
        assert.instance(thrown, SluiceError, `${kind}: ${text}: ${String(thrown)}`);
        assert.is.not((thrown as SluiceError).code, "INTERNAL", `${kind}: ${text}`);
      }
    }
  }
});
