/** Text reduced to what matters for comparison: NFKC, lower case, letters and digits, single spaces. */
export function normaliseText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
