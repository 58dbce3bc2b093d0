/** Reads touched files again in a separate thread. It loads few modules, because a request waits for it. */
import type { FileStat } from "./directory-hash.js";
import { recheckFiles } from "./recheck-files.js";
import { answerTask } from "./thread.js";

await answerTask<readonly FileStat[]>(async (fileStats) => ({ value: await recheckFiles(fileStats) }));
