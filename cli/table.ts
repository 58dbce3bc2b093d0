/**
 * Formats rows as aligned lines with two spaces between columns and no trailing spaces. A column of numbers (digits,
 * sign, comma, point, percent) is right-aligned, including its heading.
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

export type Field = readonly [name: string, value: string];

/** A list with the field if the condition holds, otherwise an empty list. */
export const fieldIf = (isShown: boolean, field: Field): readonly Field[] => (isShown ? [field] : []);

export function fields(pairs: readonly Field[]): readonly string[] {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd());
}
