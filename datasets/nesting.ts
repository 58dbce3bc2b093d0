/** Maximum number of values inside of one another; readers walk them by recursion. */
export const deepestNesting = 100;

/** Whether a value is nested deeper than `deepestNesting`. */
export function isTooDeep(root: unknown): boolean {
  let level: readonly unknown[] = [root];
  for (let depth = 0; level.length > 0 && depth <= deepestNesting; depth += 1) {
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return level.length > 0;
}
