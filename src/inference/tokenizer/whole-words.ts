const words = new WeakMap<Uint8Array, readonly string[]>();

/**
 * Vocabulary pieces of a `tokenizer.json` that are whole words, in file order, which WordPiece sorts by frequency.
 * Cached per buffer.
 */
export function wholeWords(tokenizer: Uint8Array): readonly string[] {
  const known = words.get(tokenizer);
  if (known !== undefined) return known;
  const found = wordsIn(tokenizer);
  words.set(tokenizer, found);
  return found;
}

function wordsIn(tokenizer: Uint8Array): readonly string[] {
  const file = JSON.parse(Buffer.from(tokenizer).toString("utf8")) as { readonly model?: { readonly vocab?: unknown } };
  const vocabulary = file.model?.vocab;
  if (typeof vocabulary !== "object" || vocabulary === null || Array.isArray(vocabulary)) return [];
  return Object.entries(vocabulary as Readonly<Record<string, number>>)
    .filter(([piece]) => /^[a-z]+$/.test(piece))
    .sort(([, a], [, b]) => a - b)
    .map(([piece]) => piece);
}
