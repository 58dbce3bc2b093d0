import type { Measured, RiskCoveragePoint } from "../../src/documents/evaluation.js";
import { measured, undefinedBecause } from "./measured.js";
import type { ScoreTable } from "./roc.js";

/** Requests accepted at `score >= threshold`. */
interface Accepted {
  readonly threshold: number;
  readonly accepted: number;
  readonly errors: number;
}

/**
 * Visits the thresholds in descending order. The event of the table is a right answer, so errors are rows without the
 * event.
 * @param visit  returns true to stop
 */
function walk(table: ScoreTable, visit: (here: Accepted) => boolean): void {
  let accepted = 0;
  let errors = 0;
  for (let block = 0; block < table.scores.length; block += 1) {
    const rows = table.rows[block];
    if (rows === 0) continue;
    accepted += rows;
    errors += rows - table.events[block];
    if (visit({ threshold: table.scores[block], accepted, errors })) return;
  }
}

/**
 * Risk-coverage curve: one point per distinct score, thresholds descending, acceptance at `score >= threshold`. There
 * is no point at coverage 0. If there are more than `maximumPoints`, the curve is thinned to evenly spaced points
 * including the first and last.
 * @param requests  denominator of the coverage: at least the rows of the table
 */
export function riskCoverageCurve(
  table: ScoreTable,
  requests: number = table.totalRows,
  maximumPoints: number = Number.POSITIVE_INFINITY,
): readonly RiskCoveragePoint[] {
  const blocks = table.scores.length;
  const step = blocks <= maximumPoints ? 1 : (blocks - 1) / (maximumPoints - 1);
  const points: RiskCoveragePoint[] = [];
  let position = 0;
  walk(table, ({ threshold, accepted, errors }) => {
    if (position === Math.round(points.length * step)) {
      const shares = { coverage: accepted / requests, selective_risk: errors / accepted };
      points.push({ threshold, accepted, errors, ...shares });
    }
    position += 1;
    return false;
  });
  return points;
}

/**
 * Area under the risk-coverage curve, discrete convention: the mean over k = 1..n of the risk among the k highest
 * scores, in expectation over the order of ties. Tools that integrate differently give values that are not comparable.
 */
export function aurc(table: ScoreTable): Measured {
  const n = table.totalRows;
  if (n === 0) return undefinedBecause("EMPTY_DENOMINATOR", n);
  let total = 0;
  let before = { accepted: 0, errors: 0 };
  walk(table, (here) => {
    total += sumOfRisks(before, here);
    before = here;
    return false;
  });
  return measured(total / n, n);
}

type Counts = Pick<Accepted, "accepted" | "errors">;

/** Sum over k in (from.accepted, to.accepted] of the expected number of errors among the k best, divided by k. */
function sumOfRisks(from: Counts, to: Counts): number {
  const rows = to.accepted - from.accepted;
  if (rows === 1) return to.errors / to.accepted;
  const errorsPerRow = (to.errors - from.errors) / rows;
  const atStart = from.errors - errorsPerRow * from.accepted;
  return errorsPerRow * rows + (atStart === 0 ? 0 : atStart * (harmonic(to.accepted) - harmonic(from.accepted)));
}

/**
 * AUGRC: area under the curve of errors / n against coverage, by trapezoids from (0, 0), in [0, 1/2]: the average risk
 * of accepting an error (Traub et al., arXiv 2407.01032).
 */
export function augrc(table: ScoreTable): Measured {
  const n = table.totalRows;
  if (n === 0) return undefinedBecause("EMPTY_DENOMINATOR", n);
  let total = 0;
  let before = { accepted: 0, errors: 0 };
  walk(table, (here) => {
    total += ((here.accepted - before.accepted) * (here.errors + before.errors)) / 2;
    before = here;
    return false;
  });
  return measured(total / n / n, n);
}

/**
 * The largest coverage over all thresholds whose selective risk is at most `risk`; null if there is none. The curve is
 * not monotone, so a violation does not end the search. The threshold is chosen on the same rows that measure it, so
 * this is never a guarantee.
 */
export function atRisk(table: ScoreTable, requests: number, risk: number): RiskCoveragePoint | null {
  let found: Accepted | null = null;
  walk(table, (here) => {
    if (here.errors / here.accepted <= risk) found = here;
    return false;
  });
  return pointOf(found, requests);
}

function pointOf(found: Accepted | null, requests: number): RiskCoveragePoint | null {
  if (found === null) return null;
  return { ...found, coverage: found.accepted / requests, selective_risk: found.errors / found.accepted };
}

const eulerMascheroni = 0.577_215_664_901_532_9;
const tabled = 64;

const firstHarmonics = Array.from({ length: tabled }, () => 0);
for (let k = 1; k < tabled; k += 1) firstHarmonics[k] = (firstHarmonics[k - 1] ?? 0) + 1 / k;

/**
 * Harmonic number H(n) = 1 + 1/2 + ... + 1/n, as an exact sum for n < 64, otherwise by the Euler-Maclaurin series up to
 * n^-6 with an error below 1e-16. n is an integer >= 0.
 */
export function harmonic(n: number): number {
  const small = firstHarmonics[n];
  if (small !== undefined) return small;
  const square = n * n;
  return Math.log(n) + eulerMascheroni + 1 / (2 * n) - (1 / 12 - (1 / 120 - 1 / (252 * square)) / square) / square;
}
