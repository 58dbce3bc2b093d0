/**
 * An id that is not taken: the wanted one, or else the first free one with a number from 2.
 * @param separator  between the id and its number
 * @param longest  maximum length, in characters; a longer numbered id loses characters before the separator
 */
export function freeId(
  wanted: string,
  taken: Pick<ReadonlySet<string>, "has">,
  { separator, longest }: { readonly separator: string; readonly longest: number },
): string {
  let free = wanted;
  for (let number = 2; taken.has(free); number += 1) {
    const suffix = `${separator}${number}`;
    free = `${wanted.slice(0, longest - suffix.length)}${suffix}`;
  }
  return free;
}

export const requestIds = { separator: "-", longest: 160 } as const;
