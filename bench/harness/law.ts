/** One measured point of a curve. */
export interface CurvePoint {
  readonly at: number;
  readonly value: number;
}

/** Linear model of a cost, `fixed + each * x`, fitted by relative errors. */
export interface CostLaw {
  readonly fixed: number;
  readonly each: number;
  /** The x at which the growing part equals the fixed part; null if one of them is 0. */
  readonly knee: number | null;
  /** Largest relative error at a measured point. */
  readonly largestError: number;
}

/** Fits the model; null for fewer than three points. Both parts are >= 0. */
export function costLaw(points: readonly CurvePoint[]): CostLaw | null {
  if (points.length < 3) return null;
  const fits = [linear(points), proportional(points), constant(points)].filter(
    ({ fixed, each }) => fixed >= 0 && each >= 0,
  );
  const [best] = fits
    .map((fit) => ({ ...fit, largestError: errorOf(fit, points) }))
    .sort((one, other) => one.largestError - other.largestError);
  if (best === undefined) return null;
  return { ...best, knee: best.fixed > 0 && best.each > 0 ? best.fixed / best.each : null };
}

/** The first x at which a saturating rate reaches 90% of its maximum; null without points. */
export function kneeOfRate(points: readonly CurvePoint[]): number | null {
  const best = Math.max(...points.map(({ value }) => value));
  const reached = points.filter(({ value }) => value >= 0.9 * best).map(({ at }) => at);
  return reached.length === 0 ? null : Math.min(...reached);
}

interface Line {
  readonly fixed: number;
  readonly each: number;
}

/** Least squares on relative errors (weights 1 / value^2). */
function linear(points: readonly CurvePoint[]): Line {
  let [w, x, y, xx, xy] = [0, 0, 0, 0, 0];
  for (const { at, value } of points) {
    const weight = 1 / value ** 2;
    w += weight;
    x += weight * at;
    y += weight * value;
    xx += weight * at * at;
    xy += weight * at * value;
  }
  const each = (w * xy - x * y) / (w * xx - x * x);
  return { fixed: (y - each * x) / w, each };
}

function proportional(points: readonly CurvePoint[]): Line {
  const over = points.reduce((sum, { at, value }) => sum + at / value, 0);
  const squares = points.reduce((sum, { at, value }) => sum + (at / value) ** 2, 0);
  return { fixed: 0, each: over / squares };
}

function constant(points: readonly CurvePoint[]): Line {
  const over = points.reduce((sum, { value }) => sum + 1 / value, 0);
  const squares = points.reduce((sum, { value }) => sum + 1 / value ** 2, 0);
  return { fixed: over / squares, each: 0 };
}

const errorOf = ({ fixed, each }: Line, points: readonly CurvePoint[]): number =>
  Math.max(...points.map(({ at, value }) => Math.abs(fixed + each * at - value) / value));
