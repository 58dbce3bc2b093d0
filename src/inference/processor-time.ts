/** Milliseconds for which wall time is added to the last reading of CPU time, because reading CPU time is slow. */
const carriedMs = 5;

/**
 * CPU time that is read again only when its last reading is more than `carriedMs` old; for searches with a much longer
 * budget.
 */
export function carriedProcessorMs(now: () => number, read = processorMs): () => number {
  let [reading, readAt] = [0, Number.NEGATIVE_INFINITY];
  return () => {
    const time = now();
    if (time - readAt > carriedMs) [reading, readAt] = [read(), time];
    return reading + time - readAt;
  };
}

/** CPU time in milliseconds that all threads of this process have used so far. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
