/** A time as every document writes it: UTC, whole seconds (rounded down), ended by `Z`. `ms` since 1970 UTC. */
export function utcSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");
}
