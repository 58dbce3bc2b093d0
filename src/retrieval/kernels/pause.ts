import { setImmediate } from "node:timers/promises";
import { SluiceError } from "../../errors/error.js";

/** Lets other work of the thread run between two blocks of a long build. @throws {SluiceError} INTERRUPTED */
export async function pause(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  if (signal?.aborted !== true) return;
  throw new SluiceError("INTERRUPTED", "the index was not finished", { hint: "Run the same command again." });
}
