import type { CalibrationRow, CurveFit } from "./calibration-row.js";
import { type Block, blocksByLogit, meanOf } from "./pool-adjacent.js";

type Sums = Pick<Block, "right" | "weight">;

/** Pooled blocks as a list from the one nearest to the middle outwards; lists share their tails. */
interface Chain {
  readonly sums: Sums;
  readonly next: Chain | null;
}

const added = (a: Sums, b: Sums): Sums => ({ right: a.right + b.right, weight: a.weight + b.weight });

/** Pooled chains after each block, the nearest block first; `violates` says when a neighbour must be pooled. */
function chains(blocks: readonly Sums[], violates: (near: Sums, far: Sums) => boolean): readonly (Chain | null)[] {
  let chain: Chain | null = null;
  return [
    null,
    ...blocks.map(({ right, weight }) => {
      let sums: Sums = { right, weight };
      while (chain !== null && violates(sums, chain.sums)) {
        sums = added(sums, chain.sums);
        chain = chain.next;
      }
      chain = { sums, next: chain };
      return chain;
    }),
  ];
}

/** Value of the isotonic fit at `middle` between the chain below and the chain above it. */
function fittedBetween(below: Chain | null, middle: Sums, above: Chain | null): number {
  let [under, over, sums] = [below, above, middle];
  for (;;) {
    if (under !== null && meanOf(under.sums) >= meanOf(sums)) {
      sums = added(sums, under.sums);
      under = under.next;
    } else if (over !== null && meanOf(over.sums) <= meanOf(sums)) {
      sums = added(sums, over.sums);
      over = over.next;
    } else return meanOf(sums);
  }
}

/**
 * Inductive Venn-Abers prediction (Vovk, Petej and Fedorova 2015): for every position that a new logit can have among the
 * k distinct logits of the rows, the isotonic fits with the new row taken as wrong (`lower`) and as right (`upper`), read
 * at it. 2 k + 1 entries: under the first logit, at it, above it, and so on; logits at which nothing changes are left
 * out. Serving is one binary search.
 * Refused with fewer than two distinct logits.
 */
export function fitVennAbers(rows: readonly CalibrationRow[]): CurveFit {
  const blocks = blocksByLogit(rows);
  if (blocks.length < 2) return { fitted: false, reason: "there are fewer than two different scores" };
  const under = chains(blocks, (near, far) => meanOf(far) >= meanOf(near));
  const over = chains(blocks.toReversed(), (near, far) => meanOf(far) <= meanOf(near)).toReversed();
  const entries = Array.from({ length: 2 * blocks.length + 1 }, (_, index) => {
    const position = Math.floor(index / 2);
    const own = index % 2 === 0 ? { right: 0, weight: 0 } : blocks[position];
    const below = under[position] ?? null;
    const above = over[index % 2 === 0 ? position : position + 1] ?? null;
    return {
      lower: fittedBetween(below, added(own, { right: 0, weight: 1 }), above),
      upper: fittedBetween(below, added(own, { right: 1, weight: 1 }), above),
    };
  });
  const kept = blocks.flatMap((block, i) => (sameEntries(entries.slice(2 * i, 2 * i + 3)) ? [] : [{ block, i }]));
  const shown = [entries[0], ...kept.flatMap(({ i }) => [entries[2 * i + 1], entries[2 * i + 2]])].filter(
    (entry) => entry !== undefined,
  );
  if (kept.length === 0) return { fitted: false, reason: "the scores do not increase with correctness" };
  return {
    fitted: true,
    curve: {
      family: "venn-abers",
      logits: kept.map(({ block }) => block.lowest),
      lower: shown.map((entry) => entry.lower),
      upper: shown.map((entry) => entry.upper),
    },
  };
}

function sameEntries(entries: readonly { readonly lower: number; readonly upper: number }[]): boolean {
  return entries.every(({ lower, upper }) => lower === entries[0]?.lower && upper === entries[0]?.upper);
}
