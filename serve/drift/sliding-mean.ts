const blocks = 20;

/** Mean of the latest values, from counters only; values are not stored. */
export class SlidingMean {
  readonly #blockSize: number;
  readonly #blocks: { count: number; sum: number }[] = [];

  /** @param size  values to look back at, a multiple of 20; between 95 % and all of them count */
  constructor(size: number) {
    this.#blockSize = size / blocks;
  }

  add(value: number): void {
    let block = this.#blocks.at(-1);
    if (block === undefined || block.count >= this.#blockSize) {
      block = { count: 0, sum: 0 };
      this.#blocks.push(block);
      if (this.#blocks.length > blocks) this.#blocks.shift();
    }
    block.count += 1;
    block.sum += value;
  }

  /** null without values. */
  mean(): number | null {
    const count = this.#blocks.reduce((total, block) => total + block.count, 0);
    return count === 0 ? null : this.#blocks.reduce((total, block) => total + block.sum, 0) / count;
  }
}
