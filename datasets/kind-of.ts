/** Describes a value without repeating it, e.g. "a number", "an empty text", "a text of 9,000 characters". */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") return kindOfText(value);
  if (Array.isArray(value)) return "a list";
  if (value instanceof Uint8Array) return "bytes";
  return kindNames[typeof value] ?? "a value of another kind";
}

const kindNames: Readonly<Record<string, string>> = {
  number: "a number",
  bigint: "a number",
  boolean: "a truth value",
  object: "an object",
};

function kindOfText(text: string): string {
  if (text === "") return "an empty text";
  return text.trim() === "" ? "a text of white space only" : `a text of ${text.length.toLocaleString("en")} characters`;
}
