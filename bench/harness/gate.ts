import type { MeasuredBench } from "./run.js";
import type { MeasuredFigure } from "./measure.js";
import type { Spread } from "./figure.js";

/** Relative worsening that the gate tolerates. */
export const usualTolerance = 0.1;

/** A figure that has become worse. */
export interface Slowdown {
  readonly id: string;
  /** The compared quantity: the figure itself, or its ratio to a floor or peer. */
  readonly what: string;
  readonly before: number;
  readonly now: number;
  /** Factor by which it became worse, > 1. */
  readonly times: number;
}

interface Compared extends Spread {
  readonly what: string;
}

/**
 * Figures that are worse than in the last measurement by more than the tolerance and outside its spread. If a figure
 * has references, its ratios are compared instead, because they hardly depend on the machine and its load.
 */
export function slowdowns(
  before: readonly MeasuredBench[],
  now: readonly MeasuredBench[],
  tolerance = usualTolerance,
): readonly Slowdown[] {
  const known = new Map(before.flatMap(({ figures }) => figures.map((figure) => [figure.id, figure] as const)));
  return now.flatMap(({ figures }) =>
    figures.flatMap((figure) => {
      const earlier = known.get(figure.id);
      return earlier === undefined ? [] : slowdownOf(earlier, figure, tolerance);
    }),
  );
}

function slowdownOf(before: MeasuredFigure, now: MeasuredFigure, tolerance: number): readonly Slowdown[] {
  const pairs = comparedOf(now).flatMap((own) => {
    const earlier = comparedOf(before).find(({ what }) => what === own.what);
    return earlier === undefined ? [] : [{ earlier, own }];
  });
  // Without a common reference, compare the figure itself.
  const compared = pairs.length > 0 ? pairs : [{ earlier: itself(before), own: itself(now) }];
  return compared.flatMap(({ earlier, own }) => {
    const lower = now.better === "lower";
    const times = lower ? own.median / earlier.median : earlier.median / own.median;
    const outside = lower ? own.low > earlier.high : own.high < earlier.low;
    if (!(times > 1 + tolerance && outside)) return [];
    return [{ id: now.id, what: own.what, before: earlier.median, now: own.median, times }];
  });
}

const itself = ({ unit, median, low, high }: MeasuredFigure): Compared => ({ what: unit, median, low, high });

const comparedOf = ({ references }: MeasuredFigure): readonly Compared[] =>
  references.map(({ name, ratio }) => ({ what: `times ${name}`, ...ratio }));
