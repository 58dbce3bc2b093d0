/** What ends a record of delimited text, the longest first; files written by several programs mix them. */
export const lineEnds = ["\r\n", "\n", "\r"] as const;
