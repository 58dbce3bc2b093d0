/** Number that identifies a pair of words. @param wordCount  size of the vocabulary; exact below 94 million */
export const pairKey = (first: number, second: number, wordCount: number): number => first * wordCount + second;

/** Position of a key in an ascending list; -1 if it is missing. */
export function placeOfKey(keys: Float64Array, key: number): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return keys[low] === key ? low : -1;
}
