/** What a word may be a slip of. */
export interface KnownWords {
  /** How well a word is known; -1 when it is not. The best known of several words is meant. */
  rankOf(word: string): number;
}

const letters = "abcdefghijklmnopqrstuvwxyz";
const plainWord = /^[a-z]+$/;
/** Longer words are no words. */
const longest = 24;
/** Unknown words of one text that are looked at: each costs some hundred look-ups. */
const mostLooks = 16;

/** Reads unknown words as known ones that are one slip away: a letter too much, missing, wrong, or two exchanged. */
export class Spelling {
  private readonly known: KnownWords;
  private readonly shortest: number;

  /** @param shortest  letters from which on a word is looked at */
  constructor(known: KnownWords, shortest: number) {
    this.known = known;
    this.shortest = shortest;
  }

  /** The same number of words; the first unknown ones are replaced where a known word is one slip away. */
  corrected(words: readonly string[]): readonly string[] {
    let looks = 0;
    return words.map((word) => {
      if (word.length < this.shortest || word.length > longest || !plainWord.test(word)) return word;
      if (this.known.rankOf(word) >= 0) return word;
      looks += 1;
      return looks > mostLooks ? word : this.nearest(word);
    });
  }

  private nearest(word: string): string {
    let best = word;
    let bestRank = -1;
    for (const edit of edits(word)) {
      const rank = this.known.rankOf(edit);
      if (rank > bestRank) [best, bestRank] = [edit, rank];
    }
    return best;
  }
}

/** All texts that are one slip away from a word (Damerau 1964). */
function* edits(word: string): Generator<string> {
  for (let i = 0; i <= word.length; i += 1) {
    const before = word.slice(0, i);
    const after = word.slice(i);
    for (const letter of letters) yield before + letter + after;
    if (after === "") break;
    yield before + after.slice(1);
    for (const letter of letters) yield before + letter + after.slice(1);
    if (after.length > 1) yield before + after.charAt(1) + after.charAt(0) + after.slice(2);
  }
}
