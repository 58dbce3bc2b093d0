import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { normalQuantile } from "./distributions.js";

/** A stream of random values determined by the seed. Each call advances the stream. */
export interface SeededRandom {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Uniform integer in [from, to], including both ends. */
  integer(from: number, to: number): number;
  normal(): number;
  /** A shuffled copy; every order is equally likely. */
  shuffle<T>(items: readonly T[]): T[];
}

/** xoroshiro128+ of pure-rand; the same seed (32-bit integer) gives the same stream on every machine. */
export function seededRandom(seed: number): SeededRandom {
  const generator = xoroshiro128plus(seed);
  const uniform = () => uniformFloat64(generator);
  const integer = (from: number, to: number) => uniformInt(generator, from, to);
  return {
    uniform,
    integer,
    normal: () => normalQuantile((uniform() + 2 ** -54) / (1 + 2 ** -53)),
    shuffle: <T>(items: readonly T[]) => {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const chosen = integer(0, last);
        const moved = shuffled[last] as T;
        shuffled[last] = shuffled[chosen] as T;
        shuffled[chosen] = moved;
      }
      return shuffled;
    },
  };
}
