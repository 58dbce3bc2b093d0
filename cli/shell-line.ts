const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** One command line that a POSIX shell reads back as exactly these words. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
