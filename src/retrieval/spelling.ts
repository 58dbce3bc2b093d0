import { SlipFilter } from "./slip-filter.js";

/** Candidates for the intended word of a slip. */
export interface KnownWords {
  /** All of them, in lists; the slips of a list that is given again are not found again. */
  readonly lists: readonly (readonly string[])[];
  /** How well a word is known; -1 when it is not. The best known of several words is meant. */
  rankOf(word: string): number;
}

const plainWord = /^[a-z]+$/;
/** Longer words are no words. */
const longest = 24;
/** Maximum number of unknown words per text that are examined. */
const mostLooks = 16;

/** Reads unknown words as known ones that are one slip away: a letter too much, missing, wrong, or two exchanged. */
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

  /** The first unknown words of a text for which a known word is one slip away, each with that word. */
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
