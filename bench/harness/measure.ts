import { type Figure, type ReferenceRole, type Spread, spreadOf } from "./figure.js";

/** A measured reference, as stored. */
export interface MeasuredReference extends Spread {
  readonly role: ReferenceRole;
  readonly name: string;
  /** The figure divided by the reference in the same round. */
  readonly ratio: Spread;
}

/** One measured figure of a run, as stored. */
export interface MeasuredFigure extends Spread {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly better: "lower" | "higher";
  readonly references: readonly MeasuredReference[];
  readonly point: { readonly of: string; readonly at: number } | null;
}

/**
 * Measures figures in rounds. Each round runs every variant once in direct succession, and every second round in
 * reverse order, so that a machine that slows down affects all variants alike. Warm-up rounds are discarded.
 */
export async function measure(
  figures: readonly Figure[],
  { warmUp, rounds }: { readonly warmUp: number; readonly rounds: number },
): Promise<readonly MeasuredFigure[]> {
  const measured: MeasuredFigure[] = [];
  for (const figure of figures) {
    const variants = [figure.round, ...figure.references.map(({ round }) => round)];
    const taken: number[][] = variants.map(() => []);
    for (let round = 0; round < warmUp + rounds; round += 1) {
      const order = round % 2 === 0 ? [...variants.keys()] : [...variants.keys()].reverse();
      for (const place of order) {
        const value = (await variants[place]?.()) ?? Number.NaN;
        if (round >= warmUp) taken[place]?.push(value);
      }
    }
    measured.push(summary(figure, taken));
  }
  return measured;
}

function summary({ id, title, unit, better, references, point }: Figure, taken: readonly number[][]): MeasuredFigure {
  const own = taken[0] ?? [];
  return {
    id,
    title,
    unit,
    better,
    ...rounded(spreadOf(own)),
    references: references.map(({ role, name }, place) => {
      const theirs = taken[place + 1] ?? [];
      const ratios = own.map((value, round) => value / (theirs[round] ?? Number.NaN));
      return { role, name, ...rounded(spreadOf(theirs)), ratio: rounded(spreadOf(ratios)) };
    }),
    point: point ?? null,
  };
}

/** Rounds to four digits, more than the precision of any of these figures. */
const rounded = ({ median, low, high }: Spread): Spread => ({
  median: fourDigits(median),
  low: fourDigits(low),
  high: fourDigits(high),
});

const fourDigits = (value: number): number => Number(value.toPrecision(4));
