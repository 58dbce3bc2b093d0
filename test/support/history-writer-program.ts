import { writeSync } from "node:fs";
import { SluiceError } from "../../src/base/error.js";
import { openHistory } from "../../store/history/open.js";
import { appendRecord } from "../../store/history/write.js";

// A separate process: PATH NAME COUNT SIZE. Prints the id of each record as soon as it is kept.
const [path = "", name = "", count = "0", size = "0"] = process.argv.slice(2);
const print = (line: string): number => writeSync(1, `${line}\n`);

try {
  const history = openHistory(path, { create: true, busyTimeoutMs: 30_000 });
  for (let written = 0; written < Number(count); written += 1) {
    const record = Buffer.from(`${name} ${written}`.padEnd(Number(size)));
    const fields = { kind: "run", actor: name, at: "2026-03-01T12:00:00Z" } as const;
    print(appendRecord(history, { ...fields, record }).sha256);
  }
  history.close();
} catch (error) {
  print(`error ${error instanceof SluiceError ? error.code : String(error)}`);
}
