/** The largest of the values and `least`. */
export function largest(values: Float32Array | Float64Array, least: number): number {
  let most = least;
  for (let i = 0; i < values.length; i += 1) if (values[i] > most) most = values[i];
  return most;
}

/** The largest value and the largest of the others. */
interface BestTwo {
  readonly best: number;
  readonly position: number;
  readonly second: number;
}

function bestTwo(values: Float32Array | Float64Array): BestTwo {
  let best = Number.NEGATIVE_INFINITY;
  let second = Number.NEGATIVE_INFINITY;
  let position = -1;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i];
    if (value > best) {
      second = best;
      best = value;
      position = i;
    } else if (value > second) second = value;
  }
  return { best, position, second };
}

/** For each position, its value minus the best value of any other position; the value itself when there is no other. */
export function leads(values: Float32Array | Float64Array): (position: number) => number {
  const { best, position: winner, second } = bestTwo(values);
  return (position) => {
    const rival = position === winner ? second : best;
    return (values[position] ?? 0) - (rival === Number.NEGATIVE_INFINITY ? 0 : rival);
  };
}
