/** Texts with fewer distinct lemmas are near only to texts with the same ones: in "yes please" one word is half. */
const fewestLemmas = 3;

/** A number for each lemma below 2^42, so that sums of up to 2,048 of them are exact. */
function lemmaNumber(lemma: string): number {
  let [high, low] = [0x811c9dc5, 0x1000193];
  for (let i = 0; i < lemma.length; i += 1) {
    const code = lemma.charCodeAt(i);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low + code, 0x9e3779b1) ^ (low >>> 15);
  }
  return (high >>> 0) * 1024 + ((low >>> 8) & 1023);
}

/** Sum of the numbers of the distinct lemmas, and the sums without one of them. */
function keysOf(lemmas: readonly string[]): readonly number[] {
  const numbers = [...new Set(lemmas)].map(lemmaNumber);
  const sum = numbers.reduce((total, number) => total + number, 0);
  return numbers.length < fewestLemmas ? [sum] : [sum, ...numbers.map((number) => sum - number)];
}

/**
 * Texts that must not be learned from, such as the test part of a benchmark. A text is near one of them when the
 * distinct lemmas of both are the same, or become so when one of them is added, removed or replaced.
 */
export class NearTexts {
  readonly #keys = new Set<number>();
  readonly #longest: number;

  /** @param texts  lemmas of each */
  constructor(texts: Iterable<readonly string[]>) {
    let longest = 0;
    for (const lemmas of texts) {
      longest = Math.max(longest, lemmas.length);
      for (const key of keysOf(lemmas)) this.#keys.add(key);
    }
    this.#longest = longest;
  }

  has(lemmas: readonly string[]): boolean {
    if (lemmas.length === 0 || new Set(lemmas).size > this.#longest + 1) return false;
    return keysOf(lemmas).some((key) => this.#keys.has(key));
  }
}
