const plain = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** One command line that a POSIX shell reads back as exactly these words. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/**
 * A line that asks a running server for a route and works as printed.
 * @param data  the body, or `@` and the name of its file
 */
export function curlLine(address: string, data: string): string {
  return shellLine(["curl", "-s", `${address}/v1/route`, "-H", "content-type: application/json", "-d", data]);
}
