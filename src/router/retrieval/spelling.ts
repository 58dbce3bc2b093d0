/** Bits of the hash table per known word. One in 32 edits that are not known words is looked up in vain. */
const bitsPerWord = 32;
const base = 0x01000193;
const spread = 0x9e3779b1;
const firstLetter = 97;
const letters = 26;

/**
 * Hashes of the prefixes and suffixes of a word, by length of the prefix, and the power of the hash base for each
 * suffix.
 */
interface WordHashes {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly powers: Int32Array;
}

/** A text in which letters at a position are replaced by one letter. */
interface Replaced {
  readonly place: number;
  /** Number of letters that are removed. */
  readonly dropped: 0 | 1;
}

/**
 * Lists the texts one edit away from a word that may be known words (Damerau 1964). Their hashes are computed from
 * those of the word's prefixes and suffixes, so that only texts with a known hash are built: a few out of several
 * hundred.
 */
export class SlipFilter {
  private readonly bits: Uint32Array;
  private readonly shift: number;

  constructor(known: Iterable<string>) {
    const words = new Set(known);
    const size = Math.ceil(Math.log2((words.size + 1) * bitsPerWord));
    this.shift = 32 - size;
    this.bits = new Uint32Array(2 ** (size - 5));
    for (const word of words) {
      const place = this.placeOf(hashesOf(word).starts[word.length]);
      this.bits[place >>> 5] |= 1 << (place & 31);
    }
  }

  /**
   * Every known text one edit away, ordered by the position of the edit, plus a few false positives.
   * @param word  letters a to z
   */
  candidates(word: string): readonly string[] {
    const hashes = hashesOf(word);
    const found: string[] = [];
    for (let place = 0; place < word.length; place += 1) {
      this.addLetters(word, { place, dropped: 0 }, hashes, found);
      if (this.has(joined(hashes, hashes.starts[place], place + 1))) found.push(spliced(word, place, 1, ""));
      this.addLetters(word, { place, dropped: 1 }, hashes, found);
      if (place + 1 < word.length && this.has(exchanged(word, hashes, place))) {
        found.push(spliced(word, place, 2, word.charAt(place + 1) + word.charAt(place)));
      }
    }
    this.addLetters(word, { place: word.length, dropped: 0 }, hashes, found);
    return found;
  }

  private addLetters(word: string, { place, dropped }: Replaced, hashes: WordHashes, found: string[]): void {
    const before = Math.imul(hashes.starts[place], base);
    for (let code = firstLetter; code < firstLetter + letters; code += 1) {
      if (!this.has(joined(hashes, before + code, place + dropped))) continue;
      found.push(spliced(word, place, dropped, String.fromCharCode(code)));
    }
  }

  private has(hash: number): boolean {
    const place = this.placeOf(hash);
    return ((this.bits[place >>> 5] >>> (place & 31)) & 1) === 1;
  }

  private placeOf(hash: number): number {
    return Math.imul(hash, spread) >>> this.shift;
  }
}

const spliced = (word: string, place: number, dropped: number, instead: string): string =>
  word.slice(0, place) + instead + word.slice(place + dropped);

/** Hash of a prefix followed by the suffix of the word after a position. */
const joined = ({ ends, powers }: WordHashes, before: number, place: number): number =>
  (Math.imul(before, powers[place]) + ends[place]) | 0;

/** Hash of the word with two adjacent letters swapped. */
function exchanged(word: string, hashes: WordHashes, place: number): number {
  const first = Math.imul(hashes.starts[place], base) + word.charCodeAt(place + 1);
  return joined(hashes, Math.imul(first, base) + word.charCodeAt(place), place + 2);
}

function hashesOf(word: string): WordHashes {
  const starts = new Int32Array(word.length + 1);
  for (let i = 0; i < word.length; i += 1) starts[i + 1] = Math.imul(starts[i], base) + word.charCodeAt(i);
  const ends = new Int32Array(word.length + 1);
  const powers = new Int32Array(word.length + 1).fill(1);
  for (let i = word.length - 1; i >= 0; i -= 1) {
    ends[i] = Math.imul(word.charCodeAt(i), powers[i + 1]) + ends[i + 1];
    powers[i] = Math.imul(powers[i + 1], base);
  }
  return { starts, ends, powers };
}

/** Words that a misspelt word may be corrected to. */
export interface KnownWords {
  /** All known words, in lists. The filter for a list is built only once. */
  readonly lists: readonly (readonly string[])[];
  /** How well a word is known; -1 if it is unknown. Among several candidates, the best known wins. */
  rankOf(word: string): number;
}

const plainWord = /^[a-z]+$/;
/** Maximum length of a word; longer ones are ignored. */
const longest = 24;
/** Maximum number of unknown words per text that are examined. */
const mostLooks = 16;

/**
 * Corrects unknown words to known ones that are one edit away: a superfluous, missing or wrong letter, or two swapped
 * ones.
 */
export class Spelling {
  private readonly known: KnownWords;
  private readonly shortest: number;
  private readonly slips: readonly SlipFilter[];

  /** @param shortest  minimum length of an examined word, in letters */
  constructor(known: KnownWords, shortest: number) {
    this.known = known;
    this.shortest = shortest;
    this.slips = known.lists.map(slipsOf);
  }

  /** Corrections of the first unknown words of a text that are one edit away from a known word. */
  corrections(words: readonly string[]): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    let looks = 0;
    for (const word of words) {
      if (word.length < this.shortest || word.length > longest || !plainWord.test(word)) continue;
      if (this.known.rankOf(word) >= 0 || found.has(word)) continue;
      looks += 1;
      if (looks > mostLooks) break;
      const nearest = this.nearest(word);
      if (nearest !== word) found.set(word, nearest);
    }
    return found;
  }

  private nearest(word: string): string {
    let best = word;
    let bestRank = -1;
    for (const slips of this.slips) {
      for (const edit of slips.candidates(word)) {
        const rank = this.known.rankOf(edit);
        if (rank > bestRank) [best, bestRank] = [edit, rank];
      }
    }
    return best;
  }
}

const filters = new WeakMap<readonly string[], SlipFilter>();

function slipsOf(words: readonly string[]): SlipFilter {
  const known = filters.get(words);
  if (known !== undefined) return known;
  const slips = new SlipFilter(words);
  filters.set(words, slips);
  return slips;
}
