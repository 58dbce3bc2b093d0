/** Writes some of the bytes to a log and resolves with how many were written; rejects if the log cannot accept them. */
export type WriteBytes = (bytes: Uint8Array) => Promise<number>;

export interface LineWriterOptions {
  readonly write: WriteBytes;
  /** Maximum size of waiting lines in bytes; further lines are lost. Default 4 MiB. */
  readonly maxWaitingBytes?: number;
  /** Called with the number of lost lines once the log accepts lines again. */
  readonly onRecovered?: (lostLines: number) => void;
}

const defaultWaitingBytes = 4 * 1024 * 1024;
const retryMs = 1000;

/**
 * Writes lines in order without ever blocking, throwing or growing without bound. While the log cannot accept lines (a
 * full disk, a closed reader), lines wait up to a limit; further ones are lost and counted. Writing resumes when the
 * log accepts lines again.
 */
export class LineWriter {
  readonly #options: Required<Pick<LineWriterOptions, "write" | "maxWaitingBytes">> & LineWriterOptions;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #lostBefore = 0;
  #writing: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: LineWriterOptions) {
    this.#options = { maxWaitingBytes: defaultWaitingBytes, ...options };
  }

  get lostLines(): number {
    return this.#lost;
  }

  /** @param line including its line break */
  write(line: string): void {
    const bytes = Buffer.from(line, "utf8");
    if (this.#waitingBytes + bytes.length > this.#options.maxWaitingBytes) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#retry === null) this.#flushSoon();
  }

  /** Tries once to write all waiting lines. */
  async flush(): Promise<void> {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    await this.#writing;
    this.#flushSoon();
    await this.#writing;
  }

  #flushSoon(): void {
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = null;
      if (this.#waiting.length > 0 && this.#retry === null) this.#flushSoon();
    });
  }

  async #drain(): Promise<void> {
    // Lines from one turn of the event loop are written together.
    await Promise.resolve();
    let batch: Uint8Array = Buffer.concat(this.#waiting);
    this.#waiting = [];
    try {
      while (batch.length > 0) {
        const written = await this.#options.write(batch);
        this.#waitingBytes -= written;
        batch = batch.subarray(written);
      }
      this.#tellRecovered();
    } catch {
      this.#waiting.unshift(batch);
      this.#retry = setTimeout(() => {
        this.#retry = null;
        this.#flushSoon();
      }, retryMs);
      this.#retry.unref();
    }
  }

  #tellRecovered(): void {
    const lost = this.#lost - this.#lostBefore;
    if (lost === 0) return;
    this.#lostBefore = this.#lost;
    this.#options.onRecovered?.(lost);
  }
}
