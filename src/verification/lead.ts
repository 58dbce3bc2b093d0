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

export function bestTwo(values: Float64Array): BestTwo {
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

/** The value at a position minus the best value of any other position; the value itself when there is no other. */
export function leadOver({ best, position: winner, second }: BestTwo, values: Float64Array, position: number): number {
  const rival = position === winner ? second : best;
  return values[position] - (rival === Number.NEGATIVE_INFINITY ? 0 : rival);
}
