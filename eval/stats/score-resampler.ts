import { type ScoreTable, scoreTable, tableOf } from "./roc.js";

/** Scored rows with their clusters; all columns have the same length. */
export interface ClusteredScores {
  /** Index of the cluster, below `clusters`. */
  readonly cluster: Int32Array;
  readonly scores: Float64Array;
  /** 1 if the event happened, otherwise 0. */
  readonly events: Uint8Array;
  readonly clusters: number;
}

/**
 * Approximate maximum number of score lines for resampling: with more distinct scores, neighbouring scores are replaced
 * by their mean. `table` itself keeps the exact scores.
 */
const mostLines = 256;

/** Builds score tables of cluster resamples without sorting again. */
export class ScoreResampler {
  /** The table of all rows. */
  readonly table: ScoreTable;
  /** Row indices by descending score; among equal scores, rows without the event come first. */
  readonly order: Uint32Array;
  readonly #scores: Float64Array;
  readonly #rows: Float64Array;
  readonly #events: Float64Array;
  readonly #cells: Cells;

  constructor(rows: ClusteredScores) {
    this.table = scoreTable(rows.scores, rows.events);
    const blocks = rows.scores.map((score) => positionOf(this.table.scores, score));
    const keys = Int32Array.from(blocks, (block, row) => 2 * block + rows.events[row]);
    this.order = countingOrder(keys, 2 * this.table.scores.length);
    const lines = linesOf(this.table);
    this.#scores = lines.scores;
    this.#rows = new Float64Array(lines.scores.length);
    this.#events = new Float64Array(lines.scores.length);
    this.#cells = cellsOf(rows, this.order, (row) => lines.lineOf[blocks[row]]);
  }

  /** The table of a resample; its arrays are reused by the next call. @param draws  how often each cluster was drawn */
  resample(draws: Float64Array): ScoreTable {
    const { start, line, rows, events } = this.#cells;
    this.#rows.fill(0);
    this.#events.fill(0);
    for (let cluster = 0; cluster < draws.length; cluster += 1) {
      const times = draws[cluster];
      if (times === 0) continue;
      for (let cell = start[cluster]; cell < start[cluster + 1]; cell += 1) {
        const at = line[cell];
        this.#rows[at] += times * rows[cell];
        this.#events[at] += times * events[cell];
      }
    }
    return tableOf(this.#scores, this.#rows, this.#events);
  }
}

/** Rows and events per cluster and line. The cells of cluster c are start[c] to start[c + 1] (exclusive). */
interface Cells {
  readonly start: Int32Array;
  readonly line: Int32Array;
  readonly rows: Float64Array;
  readonly events: Float64Array;
}

/** Index of a score in a descending list that contains it. */
function positionOf(descending: Float64Array, score: number): number {
  let low = 0;
  let high = descending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (descending[middle] > score) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Indices sorted by key; equal keys keep their order. @param keys  integers in [0, size) */
export function countingOrder(keys: Int32Array, size: number): Uint32Array {
  const next = new Int32Array(size + 1);
  for (const key of keys) next[key + 1] += 1;
  for (let key = 0; key < size; key += 1) next[key + 1] += next[key];
  const order = new Uint32Array(keys.length);
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i];
    order[next[key]] = i;
    next[key] += 1;
  }
  return order;
}

/** Scores merged into at most `mostLines` lines of about equal size. */
function linesOf(table: ScoreTable): { readonly scores: Float64Array; readonly lineOf: Int32Array } {
  const blocks = table.scores.length;
  const wanted = blocks <= mostLines ? 0 : table.totalRows / (mostLines / 2);
  const lineOf = new Int32Array(blocks);
  const sums: { rows: number; score: number }[] = [];
  for (let block = 0; block < blocks; block += 1) {
    const rows = table.rows[block];
    const open = sums.at(-1);
    const current = open === undefined || open.rows + rows > wanted ? { rows: 0, score: 0 } : open;
    if (current !== open) sums.push(current);
    current.rows += rows;
    current.score += rows * table.scores[block];
    lineOf[block] = sums.length - 1;
  }
  return { scores: Float64Array.from(sums, ({ rows, score }) => score / rows), lineOf };
}

/** @param order  row indices by score, so that the cells of a cluster are in line order */
function cellsOf(rows: ClusteredScores, order: Uint32Array, lineOf: (row: number) => number): Cells {
  const byCluster = countingOrder(
    Int32Array.from(order, (row) => rows.cluster[row]),
    rows.clusters,
  );
  const start = new Int32Array(rows.clusters + 1);
  const line: number[] = [];
  const counts: number[] = [];
  const events: number[] = [];
  let cluster = -1;
  for (const position of byCluster) {
    const row = order[position];
    const own = rows.cluster[row];
    const at = lineOf(row);
    const last = line.length - 1;
    const sameCell = own === cluster && line[last] === at;
    while (cluster < own) start[++cluster] = line.length;
    if (sameCell) {
      counts[last] += 1;
      events[last] += rows.events[row];
    } else {
      line.push(at);
      counts.push(1);
      events.push(rows.events[row]);
    }
  }
  while (cluster < rows.clusters) start[++cluster] = line.length;
  return {
    start,
    line: Int32Array.from(line),
    rows: Float64Array.from(counts),
    events: Float64Array.from(events),
  };
}
