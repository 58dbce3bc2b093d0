import type { Call } from "./call.js";
import type { JobInput } from "./protocol.js";

/**
 * Maximum work in one message, unless a single job is larger: a longer message would delay its last answers and keep
 * its thread from sharing new work.
 */
export const messageLimit = { rows: 64, characters: 65_536 } as const;

/** Waiting calls, oldest first. */
export class JobQueue {
  private waiting = new Map<number, Call>();

  get size(): number {
    return this.waiting.size;
  }

  add(call: Call): void {
    this.waiting.set(call.job.id, call);
  }

  delete(call: Call): void {
    this.waiting.delete(call.job.id);
  }

  /** Puts calls before all others. */
  putBack(calls: readonly Call[]): void {
    this.waiting = new Map([...calls.map((call) => [call.job.id, call] as const), ...this.waiting]);
  }

  /**
   * Takes the next message for one of `sharers` idle threads: an even share of the waiting calls, within the limit of
   * a message. Calls past their deadline are answered instead. A call whose thread exited is sent alone, so that a
   * job that crashes threads does not affect others again.
   */
  take(sharers: number): readonly Call[] {
    const share = Math.ceil(this.waiting.size / sharers);
    const taken: Call[] = [];
    let rows = 0;
    let characters = 0;
    for (const call of this.waiting.values()) {
      if (taken.length >= share) break;
      if (call.expireIfLate()) {
        this.delete(call);
        continue;
      }
      const size = sizeOf(call.job.input);
      rows += size.rows;
      characters += size.characters;
      const fits = rows <= messageLimit.rows && characters <= messageLimit.characters && call.lostThreads === 0;
      if (taken.length > 0 && !fits) break;
      taken.push(call);
      this.delete(call);
      if (!fits) break;
    }
    return taken;
  }

  takeAll(): readonly Call[] {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    return all;
  }
}

/** Rows of a job, and the characters of request text in them. */
function sizeOf(input: JobInput): { readonly rows: number; readonly characters: number } {
  switch (input.kind) {
    case "matrix":
      return { rows: input.matrix.rows, characters: 0 };
    case "texts":
      return { rows: input.texts.length, characters: input.texts.reduce((sum, { length }) => sum + length, 0) };
    // The row of the text, and one for each candidate.
    case "request":
      return { rows: 1 + input.request.topK, characters: input.request.text.length };
    case "pairs":
      return { rows: input.documents.length, characters: input.documents.length * input.text.length };
  }
}
