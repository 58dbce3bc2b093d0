export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses a JSON object; null if the text is not one. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether every field has its declared type. */
export function hasTypes(value: JsonObject, types: Readonly<Record<string, "string" | "number" | "boolean">>): boolean {
  return Object.entries(types).every(([field, type]) => typeof value[field] === type);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
