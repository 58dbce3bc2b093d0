/**
 * A clock that never runs backwards: it returns the latest time that `clock` has shown, so what has expired stays
 * expired.
 */
export function latestClock(clock: () => Date): () => Date {
  let latest = clock().getTime();
  return () => {
    latest = Math.max(latest, clock().getTime());
    return new Date(latest);
  };
}
