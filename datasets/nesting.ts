/** Maximum number of values inside of one another; readers walk them by recursion. */
export const deepestNesting = 100;

/**
 * Whether a value is nested deeper than `deepestNesting`.
 * @param perLevel  number of objects and lists that stand for one level
 */
export function isTooDeep(root: unknown, perLevel = 1): boolean {
  let level: readonly unknown[] = [root];
  for (let depth = 0; level.length > 0 && depth <= perLevel * deepestNesting; depth += 1) {
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return level.length > 0;
}
