/** Weights of unordered pairs of rows, by an open-addressing table. */
export class PairCounts {
  readonly rows: number;
  private keys: Float64Array;
  private weights: Float64Array;
  private used = 0;

  /** @param rows  largest row number plus 1 */
  constructor(rows: number, capacity = 2 ** 20) {
    this.rows = rows;
    this.keys = new Float64Array(capacity).fill(-1);
    this.weights = new Float64Array(capacity);
  }

  get size(): number {
    return this.used;
  }

  add(a: number, b: number, weight: number): void {
    this.put(Math.min(a, b) * this.rows + Math.max(a, b), weight);
    if (this.used * 2 > this.keys.length) this.grow();
  }

  /** Pairs by rising first, then second row. */
  sorted(): { readonly first: Int32Array; readonly second: Int32Array; readonly weights: Float64Array } {
    const keys = this.keys.filter((key) => key >= 0).sort();
    return {
      first: Int32Array.from(keys, (key) => Math.floor(key / this.rows)),
      second: Int32Array.from(keys, (key) => key % this.rows),
      weights: keys.map((key) => this.weights[this.slot(key)]),
    };
  }

  private put(key: number, weight: number): void {
    const slot = this.slot(key);
    if (this.keys[slot] === -1) {
      this.keys[slot] = key;
      this.used += 1;
    }
    this.weights[slot] += weight;
  }

  /** Slot of a key, or where it would be inserted. */
  private slot(key: number): number {
    const mask = this.keys.length - 1;
    let slot = (Math.imul(key % 0x7fffffff, 0x9e3779b1) >>> 4) & mask;
    while (this.keys[slot] !== -1 && this.keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { keys, weights } = this;
    this.keys = new Float64Array(keys.length * 2).fill(-1);
    this.weights = new Float64Array(keys.length * 2);
    this.used = 0;
    for (const [slot, key] of keys.entries()) if (key >= 0) this.put(key, weights[slot]);
  }
}
