/** Where a gap between two columns may lie so that what follows is folded below it, as a share of the width. */
const farthestGap = 0.6;

/**
 * A line as lines of at most `width` characters, cut at spaces. What follows is indented to the last column that the
 * line has (two or more spaces before it), or a little more than the line itself. A word that is longer than a whole line
 * is cut; nothing is dropped.
 */
export function foldLine(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  const hang = " ".repeat(hangOf(line, width));
  const folded: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const least = folded.length === 0 ? (/^ */.exec(rest)?.[0].length ?? 0) : hang.length;
    const space = rest.lastIndexOf(" ", width);
    const end = space > least ? space : width;
    folded.push(rest.slice(0, end).trimEnd());
    const further = rest.slice(end).trimStart();
    rest =
      further === ""
        ? ""
        : further.length + hang.length > width && !further.slice(0, width - hang.length + 1).includes(" ")
          ? further
          : `${hang}${further}`;
  }
  return rest.trim() === "" ? folded : [...folded, rest];
}

function hangOf(line: string, width: number): number {
  const start = /^ */.exec(line)?.[0].length ?? 0;
  const gaps = [...line.matchAll(/\S {2,}(?=\S)/g)].map((gap) => gap.index + gap[0].length);
  const last = gaps.filter((end) => end <= width * farthestGap).at(-1);
  return last ?? Math.min(start + 4, Math.floor(width / 2));
}

/** A command line as lines that a shell reads as one: each but the last ends with a backslash. */
export function foldCommand(line: string, width: number, indent: number): readonly string[] {
  const pad = " ".repeat(indent);
  if (pad.length + line.length <= width) return [`${pad}${line}`];
  const folded: string[] = [];
  let current = pad;
  for (const word of line.match(/'[^']*'\S*|\S+/g) ?? []) {
    const next = current.trim() === "" ? `${current}${word}` : `${current} ${word}`;
    if (next.length + 2 > width && current.trim() !== "") {
      folded.push(`${current} \\`);
      current = `${pad}  ${word}`;
    } else current = next;
  }
  return [...folded, current];
}
