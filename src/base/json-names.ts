/**
 * Whether any object in a well-formed JSON text repeats a field name, of which a parser keeps only the last. @param
 * value the parsed text
 */
export const repeatsName = (text: string, value: unknown): boolean => memberCount(text) !== fieldCount(value);

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;

/** Number of fields in a well-formed JSON text, including repeated ones, counted by the colons outside strings. */
function memberCount(text: string): number {
  let count = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === quote) inString = !inString;
    else if (inString && unit === backslash) index += 1;
    else if (!inString && unit === colon) count += 1;
  }
  return count;
}

/** Number of fields of all objects in a parsed value, in which the parser kept only the last of repeated fields. */
function fieldCount(value: unknown): number {
  let count = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next !== "object" || next === null) continue;
    const items: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (!Array.isArray(next)) count += items.length;
    for (const item of items) if (typeof item === "object" && item !== null) rest.push(item);
  }
  return count;
}
