import { IntegerList } from "./integer-list.js";
import { pairKey, placeOfKey } from "./pair-keys.js";
import { type CountedTerms, type GroupedTexts, mergedRows } from "./term-index.js";
import { TermNumbers } from "./term-numbers.js";

/** Words of texts and their pairs of adjacent words, collected one text after another, then numbered once. */
export class WordPairCounts {
  private readonly numbers = new TermNumbers();
  private readonly starts = new IntegerList();
  private readonly words = new IntegerList();

  constructor() {
    this.starts.push(0);
  }

  /** @param words  of one text, in order */
  add(words: readonly string[]): void {
    for (const word of words) this.words.push(this.numbers.idOf(word));
    this.starts.push(this.words.length);
  }

  /** Terms are the sorted words, then the pairs by both words: nothing depends on the order of the texts. */
  counted(): CountedTerms & { readonly texts: GroupedTexts } {
    const { vocabulary, places } = this.numbers.sorted();
    const words = this.words.values.map((id) => places[id]);
    const texts = { starts: this.starts.values.slice(), groups: words };
    const pairKeys = this.pairKeys(words, vocabulary.length);
    const starts = this.starts.values.slice();
    const terms = new IntegerList();
    for (let text = 0; text + 1 < starts.length; text += 1) {
      const [from, to] = [starts[text], starts[text + 1]];
      starts[text] = terms.length;
      for (let i = from; i < to; i += 1) {
        terms.push(words[i]);
        if (i === from) continue;
        const key = pairKey(words[i - 1], words[i], vocabulary.length);
        terms.push(vocabulary.length + placeOfKey(pairKeys, key));
      }
    }
    starts[starts.length - 1] = terms.length;
    const termCount = vocabulary.length + pairKeys.length;
    return { vocabulary, pairKeys, rows: mergedRows(starts, terms.values, termCount), texts };
  }

  /** Distinct keys of the pairs of adjacent words, ascending. */
  private pairKeys(words: Int32Array, wordCount: number): Float64Array {
    const starts = this.starts.values;
    const keys = new Float64Array(words.length);
    let count = 0;
    for (let text = 0; text + 1 < starts.length; text += 1) {
      for (let i = starts[text] + 1; i < starts[text + 1]; i += 1, count += 1) {
        keys[count] = pairKey(words[i - 1], words[i], wordCount);
      }
    }
    const sorted = keys.subarray(0, count).sort();
    return sorted.filter((key, i) => i === 0 || key !== sorted[i - 1]);
  }
}
