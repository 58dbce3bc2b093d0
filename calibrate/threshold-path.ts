import type { RoutableRow } from "./routable.js";

/** A request is routed when confidence and margin both reach these; decimals with 3 digits, as they are deployed. */
export interface ThresholdPoint {
  readonly confidence: number;
  readonly margin: number;
}

type PathRow = Pick<RoutableRow, "confidence" | "margin" | "error">;

interface Cell extends ThresholdPoint {
  readonly accepted: number;
  readonly errors: number;
}

/** Confidence thresholds are multiples of 1 / 1000. */
const confidenceSteps = 1000;
const marginGrid = [0, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8] as const;
const defaultLadderSteps = 100;

/** Largest threshold, in thousandths, that a confidence reaches. */
function confidenceIndex(confidence: number): number {
  const index = Math.min(confidenceSteps, Math.floor(confidence * confidenceSteps) + 1);
  return index / confidenceSteps <= confidence ? index : index - 1;
}

function marginIndex(margin: number): number {
  return marginGrid.findLastIndex((threshold) => threshold <= margin);
}

interface Tally {
  accepted: number;
  errors: number;
}

const emptyTallies = (): readonly Tally[] => marginGrid.map(() => ({ accepted: 0, errors: 0 }));

/** For each confidence threshold that some request meets exactly: its requests and errors by their margin threshold. */
function talliesOf(rows: readonly PathRow[]): ReadonlyMap<number, readonly Tally[]> {
  const tallies = new Map<number, readonly Tally[]>();
  for (const row of rows) {
    const t = confidenceIndex(row.confidence);
    const byMargin = tallies.get(t) ?? emptyTallies();
    tallies.set(t, byMargin);
    const tally = byMargin[marginIndex(row.margin)];
    if (tally === undefined) continue;
    tally.accepted += 1;
    if (row.error) tally.errors += 1;
  }
  return tallies;
}

/** Accepted requests and errors at every pair of thresholds whose confidence threshold some request meets exactly. */
function cellsOf(rows: readonly PathRow[]): readonly Cell[] {
  const cells: Cell[] = [];
  const columns = emptyTallies();
  for (const [t, byMargin] of [...talliesOf(rows)].toSorted(([a], [b]) => b - a)) {
    let [accepted, errors] = [0, 0];
    for (const [g, column] of [...columns.entries()].toReversed()) {
      column.accepted += byMargin[g]?.accepted ?? 0;
      column.errors += byMargin[g]?.errors ?? 0;
      accepted += column.accepted;
      errors += column.errors;
      if (accepted === 0) continue;
      cells.push({ confidence: t / confidenceSteps, margin: marginGrid[g] ?? 0, accepted, errors });
    }
  }
  return cells;
}

/** Lower risk first; then more requests; then the smaller margin; then the higher confidence. */
function isBetter(a: Cell, b: Cell): boolean {
  const risk = a.errors * b.accepted - b.errors * a.accepted;
  if (risk !== 0) return risk < 0;
  if (a.accepted !== b.accepted) return a.accepted > b.accepted;
  if (a.margin !== b.margin) return a.margin < b.margin;
  return a.confidence > b.confidence;
}

/** For each wanted number of requests, rising: the best cell that accepts as many. */
function ladder(cells: readonly Cell[], wanted: readonly number[]): readonly Cell[] {
  const byAccepted = cells.toSorted((a, b) => b.accepted - a.accepted);
  const chosen: Cell[] = [];
  let next = 0;
  let best: Cell | undefined;
  for (const need of wanted.toReversed()) {
    for (let cell = byAccepted[next]; cell !== undefined && cell.accepted >= need; cell = byAccepted[next]) {
      if (best === undefined || isBetter(cell, best)) best = cell;
      next += 1;
    }
    if (best !== undefined) chosen.push(best);
  }
  return chosen.reverse();
}

/** Points stricter than an errorless first cell: its margin, the highest confidence that still accepts as many. */
function stricterThan(first: Cell, cells: readonly Cell[], wanted: readonly number[]): readonly Cell[] {
  if (first.errors > 0) return [];
  const column = cells.filter((cell) => cell.margin === first.margin && cell.confidence > first.confidence);
  return wanted.flatMap((need) => column.find((cell) => cell.accepted >= need) ?? []);
}

/**
 * The order in which thresholds are tested, learned on the TUNE fold: for rising target coverages the pair of confidence
 * and margin thresholds with the lowest TUNE risk that reaches the coverage, both made non-increasing along the path, so
 * that each point accepts everything that the points before it accept. Where a whole set of TUNE requests is free of
 * errors, stricter points of the same margin come first: errors in CERTIFY must find a strict start.
 *
 * @param rows  TUNE requests of one tier; none give an empty path
 * @param steps  number of target coverages, hence the largest length of the path
 */
export function learnThresholdPath(
  rows: readonly PathRow[],
  steps: number = defaultLadderSteps,
): readonly ThresholdPoint[] {
  const cells = cellsOf(rows);
  const wanted = Array.from({ length: steps }, (_, i) => Math.ceil(((i + 1) / steps) * rows.length));
  const chosen = ladder(cells, wanted);
  const first = chosen[0];
  if (first === undefined) return [];

  const path: ThresholdPoint[] = [];
  let last: ThresholdPoint = { confidence: Number.POSITIVE_INFINITY, margin: Number.POSITIVE_INFINITY };
  for (const cell of [...stricterThan(first, cells, wanted), ...chosen]) {
    const confidence = Math.min(cell.confidence, last.confidence);
    const margin = Math.min(cell.margin, last.margin);
    if (confidence === last.confidence && margin === last.margin) continue;
    last = { confidence, margin };
    path.push(last);
  }
  return path;
}
