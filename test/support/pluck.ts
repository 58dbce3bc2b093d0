/**
 * One field of each row, in the order of the rows.
 *
 * @example pluck([{ code: "A" }, { code: "B" }], "code") // ["A", "B"]
 */
export function pluck<T, K extends keyof T>(rows: readonly T[], field: K): readonly T[K][] {
  return rows.map((row) => row[field]);
}
