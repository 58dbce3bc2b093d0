import { writeSync } from "node:fs";
import { openHistory } from "../../store/history/open.js";
import { pushTo } from "../../stages/history/exchange.js";
import { SluiceError } from "../../src/base/error.js";

// A push in a separate process: HISTORY FOLDER. Prints the number of entries that are there as they arrive.
const [path = "", folder = ""] = process.argv.slice(2);
try {
  await pushTo(folder, openHistory(path, { readOnly: true }), {
    signal: new AbortController().signal,
    clock: () => new Date().getTime(),
    progress: {
      start: () => undefined,
      update: (finished) => void writeSync(1, `${finished}\n`),
      done: () => void writeSync(1, "done\n"),
    },
  });
} catch (error) {
  writeSync(1, `error ${error instanceof SluiceError ? error.code : String(error)}\n`);
}
