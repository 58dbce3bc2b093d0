/** Number of a pair of words. @param wordCount  of the vocabulary; exact below 94 million */
export const pairKey = (first: number, second: number, wordCount: number): number => first * wordCount + second;

/** Place of a key among ascending ones; -1 where it is none of them. */
export function placeOfKey(keys: Float64Array, key: number): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return keys[low] === key ? low : -1;
}
