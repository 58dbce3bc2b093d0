/** Maximum position of a gap between columns, as a share of the width, below which the rest of the line is folded. */
const farthestGap = 0.6;

/**
 * Folds a line at spaces into lines of at most `width` characters. Continuation lines are indented to the last column
 * of the line (which follows two or more spaces), or slightly more than the line itself. A word longer than a line is
 * cut; nothing is dropped.
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

/** Folds a command line; each line except the last ends with a backslash, so that a shell reads them as one. */
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
