/** Worlds whose true risk is known at every threshold, and folds drawn from them. */
import type { FoldRequests } from "../../../calibrate/claims/weighted-mix.js";
import type { EvidenceRow } from "../../../calibrate/point-evidence.js";
import type { ThresholdPoint } from "../../../calibrate/threshold-path.js";
import { betaQuantile } from "../../../src/stats/distributions.js";
import type { SeededRandom } from "../../../src/stats/seeded-random.js";

/** Routable requests of one fold, and the requests of each cluster. */
export interface DrawnFold {
  readonly rows: readonly EvidenceRow[];
  readonly requests: FoldRequests;
}

/** What a threshold does on all traffic, in [0, 1]; the macro risk counts every workflow once. */
export interface TrueRates {
  readonly risk: number;
  readonly macroRisk: number;
  readonly coverage: number;
}

export interface World {
  readonly name: string;
  /** Whether new workflows may differ from those that were seen. */
  readonly clustered: boolean;
  /** Whether service has the mix of the folds. */
  readonly sameMix: boolean;
  /** Share of out-of-scope requests in service. */
  readonly outOfScopeShare: number;
  readonly draw: (random: SeededRandom) => { readonly tune: DrawnFold; readonly certify: DrawnFold };
  readonly truth: (point: ThresholdPoint) => TrueRates;
}

/** Equally likely scores of a beta distribution, in thousandths. */
const scoresOf = (a: number, b: number): readonly number[] =>
  Array.from({ length: 1000 }, (_, i) => Math.round(1e6 * betaQuantile((i + 0.5) / 1000, a, b)) / 1e6);

const inScopeScores = scoresOf(3, 1.2);
const outOfScopeScores = scoresOf(2, 3);

interface Shape {
  readonly name: string;
  readonly workflows: number;
  readonly requestsPerWorkflow: number;
  /** Chance of a wrong first candidate at a score, before the workflow's own factor. */
  readonly errorChance: (score: number) => number;
  /** Workflows multiply their chances by an exponential variable of mean 1, or all by 1. */
  readonly clustered: boolean;
  /** Out-of-scope share of the folds and of service. */
  readonly foldShare: number;
  readonly serviceShare: number;
}

const requestsPerGroup = 2;

function drawFold(random: SeededRandom, shape: Shape): DrawnFold {
  const { workflows, requestsPerWorkflow, clustered, errorChance, foldShare } = shape;
  const score = (scores: readonly number[]) => scores[random.integer(0, scores.length - 1)] ?? 0;
  const inScope = Array.from({ length: workflows }, (_, w) => {
    const factor = clustered ? -Math.log(1 - random.uniform()) : 1;
    return Array.from({ length: requestsPerWorkflow }, () => {
      const confidence = score(inScopeScores);
      const error = random.uniform() < Math.min(1, factor * errorChance(confidence));
      return { confidence, margin: 1, error, outOfScope: false, cluster: `workflow:${w}` };
    });
  }).flat();
  const outside = Math.round((inScope.length * foldShare) / (1 - foldShare));
  const outOfScope = Array.from({ length: outside }, (_, i) => ({
    confidence: score(outOfScopeScores),
    margin: 1,
    error: true,
    outOfScope: true,
    cluster: `group:${Math.floor(i / requestsPerGroup)}`,
  }));
  return { rows: [...inScope, ...outOfScope], requests: requestsOf([...inScope, ...outOfScope]) };
}

/** Requests of each cluster of some rows. */
export function requestsOf(rows: readonly EvidenceRow[]): FoldRequests {
  const [inScope, outOfScope] = [new Map<string, number>(), new Map<string, number>()];
  for (const row of rows) {
    const side = row.outOfScope ? outOfScope : inScope;
    side.set(row.cluster, (side.get(row.cluster) ?? 0) + 1);
  }
  return { inScope, outOfScope };
}

/** E min(1, f q) for the workflow's factor f: exponential of mean 1, or 1. */
function meanChance(q: number, clustered: boolean): number {
  if (!clustered || q === 0) return Math.min(1, q);
  return q * (1 - Math.exp(-1 / q));
}

function truthOf({ errorChance, clustered, serviceShare }: Shape, threshold: number): TrueRates {
  const routed = inScopeScores.filter((score) => score >= threshold);
  const wrong = routed.reduce((sum, score) => sum + meanChance(errorChance(score), clustered), 0);
  const outside = (serviceShare * outOfScopeScores.filter((score) => score >= threshold).length) / 1000;
  const coverage = outside + ((1 - serviceShare) * routed.length) / 1000;
  return {
    risk: coverage === 0 ? 0 : (outside + ((1 - serviceShare) * wrong) / 1000) / coverage,
    macroRisk: routed.length === 0 ? 0 : wrong / routed.length,
    coverage,
  };
}

function worldOf(shape: Shape): World {
  return {
    name: shape.name,
    clustered: shape.clustered,
    sameMix: shape.foldShare === shape.serviceShare,
    outOfScopeShare: shape.serviceShare,
    draw: (random) => ({ tune: drawFold(random, shape), certify: drawFold(random, shape) }),
    truth: ({ confidence }) => truthOf(shape, confidence),
  };
}

const good = (score: number): number => 0.6 * (1 - score) ** 1.2;
const flat = (): number => 0.055;
const base = { workflows: 150, requestsPerWorkflow: 20, foldShare: 0, serviceShare: 0 } as const;

/** Independent and clustered errors, a risk that no threshold lowers, and service with more out-of-scope requests. */
export const syntheticWorlds: readonly World[] = [
  worldOf({ ...base, name: "independent", clustered: false, errorChance: good }),
  worldOf({ ...base, name: "clustered", clustered: true, errorChance: good }),
  worldOf({ ...base, name: "flat risk", clustered: true, errorChance: flat }),
  worldOf({ ...base, name: "shifted mix", clustered: true, errorChance: good, foldShare: 0.03, serviceShare: 0.2 }),
];
