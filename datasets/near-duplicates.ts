/** Indices of two rows (`first < second`) whose texts have a Jaccard similarity of at least `minimumJaccard`. */
export interface NearDuplicatePair {
  readonly first: number;
  readonly second: number;
  /** Jaccard similarity of the shingle sets, in [minimumJaccard, 1]. */
  readonly jaccard: number;
}

const minimumJaccard = 0.8;

/**
 * 20 bands of 5 hashes: a pair with Jaccard .8 shares a band with probability 1 - (1 - .8^5)^20 = .9996, a pair with .4
 * with probability .19. Every pair that shares a band is verified exactly.
 */
const bands = 20;
const rowsPerBand = 5;
/**
 * Maximum number of earlier rows that a row of a bucket is compared with. Rows of a larger bucket are compared only
 * with its first rows, which keeps the time linear and still connects the rows through them.
 */
const bucketComparisons = 24;

/**
 * Finds near-duplicates by MinHash over words and adjacent word pairs, with banding; every reported pair is verified.
 * Time and memory are linear in the number of rows. Deterministic: the hash functions are fixed. A pair can be missed
 * (see `bands`). Identical normalised texts always share their buckets.
 *
 * @returns  pairs sorted by `first`, then `second`
 * @see Broder (1997), On the Resemblance and Containment of Documents
 */
export function nearDuplicates(texts: readonly string[]): readonly NearDuplicatePair[] {
  const shingles = texts.map((text) => shinglesOf(normaliseText(text)));
  const known = new Set<number>();
  const found: NearDuplicatePair[] = [];
  for (let band = 0; band < bands; band += 1) {
    for (const bucket of bucketsOf(shingles, band)) {
      for (const [first, second] of comparisonsOf(bucket)) {
        const pair = first * texts.length + second;
        if (known.has(pair)) continue;
        const jaccard = jaccardOf(shingles[first] ?? noShingles, shingles[second] ?? noShingles);
        if (jaccard < minimumJaccard) continue;
        known.add(pair);
        found.push({ first, second, jaccard });
      }
    }
  }
  return found.sort((a, b) => a.first - b.first || a.second - b.second);
}

const noShingles = new Uint32Array();

/** Hashes of the words and adjacent word pairs of a normalised text: distinct, ascending. */
export function shinglesOf(text: string): Uint32Array {
  if (text === "") return noShingles;
  const words = text.split(" ");
  const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`);
  return Uint32Array.from(new Set([...words, ...pairs].map(hash32))).sort();
}

/** FNV-1a over UTF-16 code units. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

/** Finaliser of MurmurHash3, keyed by the number of the hash function. */
function permute(hash: number, key: number): number {
  let h = hash ^ Math.imul(key + 1, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The minima of one band, hashed to 53 bits; two different bands collide with probability 2^-53. */
function bandKey(shingles: Uint32Array, band: number): number {
  let high = 0;
  let low = 0;
  for (let row = 0; row < rowsPerBand; row += 1) {
    const minimum = minimumOf(shingles, band * rowsPerBand + row);
    high = permute(high ^ minimum, row);
    low = permute(low ^ minimum, row + rowsPerBand);
  }
  return (high & 0x1fffff) * 2 ** 32 + low;
}

function minimumOf(shingles: Uint32Array, key: number): number {
  let minimum = 0xffffffff;
  for (let i = 0; i < shingles.length; i += 1) {
    const value = permute(shingles[i] ?? 0, key);
    if (value < minimum) minimum = value;
  }
  return minimum;
}

/** The buckets of one band with at least two rows, as ascending row indices. Rows without words are in no bucket. */
function bucketsOf(shingles: readonly Uint32Array[], band: number): readonly (readonly number[])[] {
  const firstOf = new Map<number, number>();
  const buckets = new Map<number, number[]>();
  for (let index = 0; index < shingles.length; index += 1) {
    const own = shingles[index] ?? noShingles;
    if (own.length === 0) continue;
    const key = bandKey(own, band);
    const first = firstOf.get(key);
    if (first === undefined) firstOf.set(key, index);
    else {
      const bucket = buckets.get(key);
      if (bucket === undefined) buckets.set(key, [first, index]);
      else bucket.push(index);
    }
  }
  return [...buckets.values()];
}

/** Pairs of a bucket to compare: each row with the first rows of the bucket that precede it. */
function* comparisonsOf(bucket: readonly number[]): Generator<readonly [first: number, second: number]> {
  const leaders = bucket.slice(0, bucketComparisons);
  for (const [position, second] of bucket.entries()) {
    for (const first of leaders.slice(0, position)) yield [first, second];
  }
}

/** Jaccard similarity of two ascending lists without duplicates. */
export function jaccardOf(a: Uint32Array, b: Uint32Array): number {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const left = a[i] ?? 0;
    const right = b[j] ?? 0;
    if (left === right) shared += 1;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return shared / (a.length + b.length - shared);
}

/** Texts with one key are the same text. Texts without letters or digits are compared verbatim. */
export function textKey(text: string): string {
  const plain = normaliseText(text);
  return plain === "" ? text : plain;
}

/** Normalises a text for comparison: NFKC, lower case, letters and digits only, single spaces. */
export function normaliseText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
