/** Remembers the latest distinct digests, so that a repeated text counts once. */
export class RepeatWindow {
  readonly #size: number;
  readonly #latest = new Set<string>();

  /** @param size  digests to remember, at least 1 */
  constructor(size: number) {
    this.#size = size;
  }

  /** Whether the digest is among the remembered ones; it is the latest one afterwards. */
  repeats(digest: string): boolean {
    const known = this.#latest.delete(digest);
    this.#latest.add(digest);
    if (this.#latest.size > this.#size) this.#latest.delete(this.#latest.values().next().value ?? "");
    return known;
  }
}
