/** Whether a value is a request text that a data set row can hold: not blank, at most 8,000 characters. */
export function isUsableText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= 8000;
}
