/** A word without a special sign, or a pattern of shard files, which the shell expands. */
const plain = /^(?:[A-Za-z0-9_@%+=:,./-]+|[A-Za-z0-9_@%+=:,./*-]+\.shard)$/;

/** Quotes words as a command line for a POSIX shell. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/**
 * A curl command that sends a route request to a running server.
 * @param data  the body, or `@` followed by a file name
 */
export function curlLine(address: string, data: string): string {
  return shellLine(["curl", "-s", `${address}/v1/route`, "-H", "content-type: application/json", "-d", data]);
}

/** A command that can follow, as a program and its arguments. A word in capitals stands for a value of the caller. */
export interface NextCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export const lineOf = ({ command, args }: NextCommand): string => shellLine([command, ...args]);
