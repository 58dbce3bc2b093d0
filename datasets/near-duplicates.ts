import { normaliseText } from "./normalise-text.js";

/** Two rows, by index with `first < second`, whose texts share at least `minimumJaccard` of their shingles. */
export interface NearDuplicatePair {
  readonly first: number;
  readonly second: number;
  /** Jaccard similarity of the shingle sets, in [minimumJaccard, 1]. */
  readonly jaccard: number;
}

/** Texts at or above this Jaccard similarity count as near-duplicates. */
const minimumJaccard = 0.8;

/**
 * 20 bands of 5 hashes: a pair at Jaccard .8 shares a band with probability 1 - (1 - .8^5)^20 = .9996,
 * a pair at .4 with probability .19; every pair that shares one is verified exactly.
 */
const bands = 20;
const rowsPerBand = 5;
/**
 * Rows of one bucket that are compared with each other. A longer bucket is compared with its first rows only,
 * which keeps the work linear: rows of one bucket are chained through them.
 */
const bucketComparisons = 24;

/**
 * Near-duplicates by MinHash over words and adjacent word pairs with banding; every reported pair is verified.
 * Time and memory are linear in the number of rows. Deterministic: the hash functions are fixed.
 * A missed pair is possible (see `bands`); identical normalised texts are never missed as long as their
 * bucket holds, because each is compared with the first row of the bucket.
 *
 * @returns pairs sorted by `first`, then `second`
 */
export function nearDuplicates(texts: readonly string[]): readonly NearDuplicatePair[] {
  const sets = texts.map((text) => shinglesOf(normaliseText(text)));
  const buckets = bucketsOf(sets);
  const found = new Map<string, NearDuplicatePair>();
  for (const bucket of buckets) {
    for (const [position, second] of bucket.entries()) {
      for (const first of bucket.slice(0, Math.min(position, bucketComparisons))) {
        const key = `${first}:${second}`;
        if (found.has(key)) continue;
        const jaccard = jaccardOf(sets[first] ?? new Set(), sets[second] ?? new Set());
        if (jaccard >= minimumJaccard) found.set(key, { first, second, jaccard });
      }
    }
  }
  return [...found.values()].sort((a, b) => a.first - b.first || a.second - b.second);
}

function shinglesOf(text: string): ReadonlySet<number> {
  if (text === "") return new Set();
  const words = text.split(" ");
  const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`);
  return new Set([...words, ...pairs].map(hash32));
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

function bandKey(shingles: ReadonlySet<number>, band: number): string {
  const minima = Array.from({ length: rowsPerBand }, () => 0xffffffff);
  for (const shingle of shingles) {
    for (let row = 0; row < rowsPerBand; row += 1) {
      const value = permute(shingle, band * rowsPerBand + row);
      if (value < (minima[row] ?? 0)) minima[row] = value;
    }
  }
  return `${band}:${minima.join(",")}`;
}

/** Row indices, ascending, of every bucket with at least two rows. Rows without a word are in none. */
function bucketsOf(sets: readonly ReadonlySet<number>[]): readonly (readonly number[])[] {
  const buckets = new Map<string, number[]>();
  for (const [index, shingles] of sets.entries()) {
    if (shingles.size === 0) continue;
    for (let band = 0; band < bands; band += 1) {
      const key = bandKey(shingles, band);
      const bucket = buckets.get(key);
      if (bucket === undefined) buckets.set(key, [index]);
      else bucket.push(index);
    }
  }
  return [...buckets.values()].filter((bucket) => bucket.length > 1);
}

function jaccardOf(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let shared = 0;
  for (const shingle of a) if (b.has(shingle)) shared += 1;
  return shared / (a.size + b.size - shared);
}
