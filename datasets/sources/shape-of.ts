import { isJsonObject } from "./parse-json.js";

/** Maximum depth of the description. */
const deepest = 12;

/** Maximum number of values that are visited. */
const mostVisited = 20_000;

/**
 * The paths of the texts of a document, e.g. "intents[99].examples[].text", most frequent first. A number is the length
 * of the first list at that path.
 */
export function shapeOf(root: unknown): readonly string[] {
  const counts = new Map<string, number>();
  const sizes = new Map<string, number>();
  let visited = 0;
  const visit = (value: unknown, path: string, depth: number): void => {
    visited += 1;
    if (visited > mostVisited || depth > deepest) return;
    if (Array.isArray(value)) {
      const below = `${path}[]`;
      sizes.set(below, Math.max(sizes.get(below) ?? 0, value.length));
      for (const item of value) visit(item, below, depth + 1);
    } else if (isJsonObject(value)) {
      const entries = Object.entries(value);
      const isMap = entries.length > 20;
      for (const [key, item] of entries) visit(item, `${path}${path === "" ? "" : "."}${isMap ? "*" : key}`, depth + 1);
    } else if (typeof value === "string") counts.set(path, (counts.get(path) ?? 0) + 1);
  };
  visit(root, "", 0);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([path]) => path.replace(/\[\]/, `[${sizes.get(path.slice(0, path.indexOf("[]") + 2)) ?? ""}]`));
}
