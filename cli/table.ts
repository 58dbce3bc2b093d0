/**
 * Rows as aligned lines, two spaces between columns, without trailing spaces.
 * A column of numbers only (digits, sign, comma, point, percent) is aligned to the right, its heading too.
 */
export function table(rows: readonly (readonly string[])[], heading?: readonly string[]): readonly string[] {
  const all = heading === undefined ? rows : [heading, ...rows];
  const columns = Math.max(0, ...all.map((row) => row.length));
  const shape = Array.from({ length: columns }, (_, column) => {
    const cells = rows.map((row) => row[column] ?? "");
    const width = Math.max(0, ...all.map((row) => (row[column] ?? "").length));
    return { width, right: cells.length > 0 && cells.every((cell) => /^[-+]?[\d,.]+ ?%?$/.test(cell)) };
  });
  return all.map((row) =>
    shape
      .map(({ width, right }, column) =>
        right ? (row[column] ?? "").padStart(width) : (row[column] ?? "").padEnd(width),
      )
      .join("  ")
      .trimEnd(),
  );
}

/** A name and its value. */
export type Field = readonly [name: string, value: string];

/** A field that is printed under a condition: a list of one, or of none. */
export const fieldIf = (isShown: boolean, field: Field): readonly Field[] => (isShown ? [field] : []);

/** Names and values, one pair for each line, the values aligned. */
export function fields(pairs: readonly Field[]): readonly string[] {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd());
}
