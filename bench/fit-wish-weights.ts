/**
 * Fits the weights by which two wishes are told from one, on texts joined from requests of the measured projects, and
 * prints them for `src/documents/several-wishes.ts`. Then the same weights without each project, measured on it.
 *
 *   node dist/bench/fit-wish-weights.js [--data FOLDER] [--checkpoint DIR]
 */
import { parseArgs } from "node:util";
import { fitLogistic, standardised } from "../calibrate/calibrators/logistic-regression.js";
import { unbounded } from "../src/documents/run-scope.js";
import { englishSeveralWishes, wishColumns } from "../src/documents/several-wishes.js";
import { loadModels, type LoadedModels } from "../src/router/load-models.js";
import { type BestWorkflows, compileBoundary, wishColumnsOf } from "../src/router/policy/several-wishes.js";
import { shared } from "../test/support/shared.js";
import { checkpointAt } from "./held-out/checkpoint.js";
import { type MeasuredProject, measuredProjects } from "./not-one-wish/projects.js";
import { askedTexts } from "./not-one-wish/texts.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: shared("data") },
    checkpoint: { type: "string", default: "models/default" },
  },
});
const print = (line: string): unknown => process.stdout.write(`${line}\n`);
const seed = 2;
const mostSingles = 900;
const ridge = 3;
/** As in `calibrate/several-wishes.ts`. */
const leastThreshold = -2;
/** Total weight of the pairs of a project, and of its other texts. */
const weightEach = 300;
const bestOfWhole = 8;
const bestOfSide = 2;

interface Row {
  readonly project: string;
  readonly isPair: boolean;
  readonly isSingle: boolean;
  /** Absent without a boundary, and where both sides lead to one workflow. */
  readonly columns?: readonly number[];
}

async function bestFor(models: LoadedModels, count: number, text: string, topK: number): Promise<BestWorkflows> {
  const eligible = new Uint8Array(count).fill(1);
  const limits = { topK, ineligibleCompetitors: 0, ranks: topK, also: null, leftMs: Number.POSITIVE_INFINITY };
  const asked = { text, eligible, ...limits, lookedUp: null, patternBudgetMs: null };
  const { positions, retrievalScores } = await models.scoreText(asked, unbounded);
  return { ids: positions.map(String), scores: retrievalScores };
}

async function rowsOf({ name, catalog, certify }: MeasuredProject): Promise<readonly Row[]> {
  const { sources } = await checkpointAt(values.checkpoint, "checkpoint");
  const models = await loadModels(catalog, sources, { workers: 1, queueLimit: 4096 });
  const findBoundary = compileBoundary(englishSeveralWishes);
  const count = catalog.workflows.length;
  const rows: Row[] = [];
  let singles = 0;
  try {
    for (const { kind, text } of askedTexts(certify, seed)) {
      const isSingle = kind === "single" || kind === "negating";
      if (kind === "negated" || (isSingle && singles >= mostSingles)) continue;
      if (isSingle) singles += 1;
      const row = { project: name, isPair: kind === "pair", isSingle };
      const boundary = findBoundary(text);
      if (boundary === null) {
        rows.push(row);
        continue;
      }
      const [whole, left, right] = await Promise.all([
        bestFor(models, count, text, bestOfWhole),
        bestFor(models, count, boundary.left, bestOfSide),
        bestFor(models, count, boundary.right, bestOfSide),
      ]);
      const read = wishColumnsOf({ text, boundary, left, right, whole });
      rows.push(read === null ? row : { ...row, columns: wishColumns.map((column) => read[column]) });
    }
  } finally {
    await models.close();
  }
  return rows;
}

interface Fitted {
  readonly intercept: number;
  readonly weights: readonly number[];
}

function fit(rows: readonly Row[]): Fitted {
  const read = rows.flatMap(({ columns, isPair, project }) =>
    columns === undefined ? [] : [{ columns, isPair, project }],
  );
  const counts = new Map<string, number>();
  for (const { project, isPair } of read)
    counts.set(`${project}${isPair}`, (counts.get(`${project}${isPair}`) ?? 0) + 1);
  const columns = wishColumns.map((_, j) => standardised(read.map((row) => row.columns[j] ?? 0)));
  const problem = {
    features: [new Float64Array(read.length).fill(1), ...columns.map(({ feature }) => feature)],
    target: Float64Array.from(read, ({ isPair }) => Number(isPair)),
    weight: Float64Array.from(read, ({ project, isPair }) => weightEach / (counts.get(`${project}${isPair}`) ?? 1)),
    ridge: [0, ...columns.map(() => ridge)],
  };
  const [first = 0, ...slopes] =
    fitLogistic(
      problem,
      problem.ridge.map(() => 0),
    ) ?? [];
  const weights = columns.map(({ spread }, j) => (spread === 0 ? 0 : (slopes[j] ?? 0) / spread));
  return { intercept: columns.reduce((sum, { mean }, j) => sum - (weights[j] ?? 0) * mean, first), weights };
}

const scoreOf = ({ intercept, weights }: Fitted, { columns }: Row): number =>
  columns === undefined
    ? Number.NEGATIVE_INFINITY
    : columns.reduce((sum, value, j) => sum + value * (weights[j] ?? 0), intercept);

function recallLine(name: string, fitted: Fitted, rows: readonly Row[]): string {
  const scores = (wanted: (row: Row) => boolean) => rows.filter(wanted).map((row) => scoreOf(fitted, row));
  const singles = scores(({ isSingle }) => isSingle).toSorted((a, b) => b - a);
  const threshold = Math.max(leastThreshold, singles[Math.floor(0.01 * singles.length)] ?? 0);
  const share = (of: readonly number[]): string =>
    `${((100 * of.filter((score) => score > threshold).length) / of.length).toFixed(1)}%`;
  const same = scores(({ isSingle, isPair }) => !isSingle && !isPair);
  return `${name}: pairs found ${share(scores(({ isPair }) => isPair))}, singles ${share(singles)}, same ${share(same)}`;
}

const projects = await measuredProjects(values.data);
const rows: Row[] = [];
for (const project of projects) rows.push(...(await rowsOf(project)));
const all = fit(rows);
print(`intercept: ${all.intercept.toPrecision(4)}`);
for (const [j, name] of wishColumns.entries()) print(`${name}: ${(all.weights[j] ?? 0).toPrecision(4)},`);
for (const { name } of projects) {
  const own = rows.filter(({ project }) => project === name);
  print(recallLine(`${name}, fitted on all`, all, own));
  print(recallLine(`${name}, fitted on the others`, fit(rows.filter(({ project }) => project !== name)), own));
}
